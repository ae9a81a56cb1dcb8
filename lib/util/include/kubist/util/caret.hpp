#pragma once
#include <string_view>

#include <kubist/util/result.hpp>

namespace kubist::util {

/// What is wrong at a place of a small language's text, with its line and a caret under the place:
///   the condition does not parse at column 5: expected `and`, `or` or the end
///     uri x "/a"
///         ^
/// `what` names the text ("condition"), `at` is an offset in it (its size: the end). Of a long line
/// only the part around the place is shown. Always ErrorKind::invalid.
tl::unexpected<Error> caret_error(std::string_view what, std::string_view text, std::size_t at,
                                  std::string_view why);

/// Refuses a text that is longer than any person writes.
Result<> check_length(std::string_view what, std::string_view text, std::size_t max);

}  // namespace kubist::util
