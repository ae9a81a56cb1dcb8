#pragma once
#include <string_view>

#include <kubist/apply/wait_for.hpp>

namespace kubist::cli {

/// condition=TYPE[=VALUE], jsonpath=TEMPLATE[=VALUE], delete, create, ready (kstatus) or
/// job=finished. usage: anything else; invalid: a broken template.
util::Result<apply::WaitCondition> parse_wait_condition(std::string_view text);

}  // namespace kubist::cli
