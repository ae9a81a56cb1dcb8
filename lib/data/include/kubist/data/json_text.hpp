#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>

namespace kubist::data {

/// How JSON text looks.
struct JsonStyle {
  std::size_t indent = 0;  ///< spaces a level; 0 prints one line without white space
  std::size_t level = 0;   ///< the level that the value starts on (its first line is not indented)
  bool escape_html = false;  ///< '<', '>', '&' as \u00XX, as Go and so kubectl print them
};

/// kubectl's: four spaces and Go's escapes.
inline constexpr JsonStyle k_kubectl_json{4, 0, true};

/// Appends the value; no newline at the end. Numbers as Go prints them (1e+21, 1 for 1.0); bytes
/// that are not UTF-8 become U+FFFD, as in Go. Unlike Json::dump it neither throws nor recurses
/// deeper than the value is nested.
void write_json(const Json& value, std::string& out, const JsonStyle& style = {});

/// Can the bytes be a string of JSON as they are?
bool is_utf8(std::string_view text);

/// On one line, without white space.
std::string to_json(const Json& value);
/// With two spaces a level, and a newline at the end.
std::string to_indented_json(const Json& value);
/// As `kubectl -o json` prints it, with a newline at the end.
std::string to_kubectl_json(const Json& value);

/// A float as Go's encoding/json prints it, e.g. "1e+21", "0.5", "100"; NaN and Inf become "null".
std::string go_json_number(double number);

}  // namespace kubist::data
