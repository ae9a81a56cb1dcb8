#pragma once
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// What a file or a variable holds of a value: a string as it is, anything else as JSON.
std::string plain_value(const data::Json& value);

/// NAME='value' for a shell's eval, a line for each key of an object. NAME is the prefix and the
/// key, with underscores for what no variable's name has.
///
/// Invalid: the name is one by which shells, linkers and languages choose what they run (PATH,
/// LD_PRELOAD, NODE_OPTIONS, ...), in any case; or it is empty. Then no line is given.
util::Result<std::string> env_lines(const data::Json& values, std::string_view prefix);

}  // namespace kubist::cli
