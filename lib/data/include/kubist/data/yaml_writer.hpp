#pragma once
#include <cstddef>
#include <string>

#include <kubist/data/json.hpp>

namespace kubist::data {

/// Appends the value as `kubectl -o yaml` prints it: sorted keys, lists at the indent of their key,
/// block literals for text of several lines, folding at 80 columns. Ends with a newline.
/// Bytes that are not UTF-8 become U+FFFD.
void write_yaml(const Json& value, std::string& out);

/// The same, in `indent` columns, as an item of a list: "- key: value" and so on.
void write_yaml_item(const Json& value, std::size_t indent, std::string& out);

std::string to_yaml(const Json& value);

}  // namespace kubist::data
