#pragma once
#include <kubist/cli/command.hpp>

namespace kubist::cli {

const CommandSpec& experiment_status_command();

}  // namespace kubist::cli
