#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kubist::data {

/// Go's strconv.UnquoteChar over a quoted text without its quotes; nothing where an escape is
/// wrong or the quote stands in it.
std::optional<std::string> go_unquote(std::string_view text, char quote);

}  // namespace kubist::data
