#pragma once
#include <kubist/cli/command.hpp>

// One function per command, each in its own file; commands.cpp lists them in the order of help.
namespace kubist::cli {

const CommandSpec& complete_command();
const CommandSpec& completion_command();
const CommandSpec& dump_command();
const CommandSpec& version_command();

}  // namespace kubist::cli
