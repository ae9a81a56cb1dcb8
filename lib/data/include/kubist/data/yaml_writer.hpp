#pragma once
#include <string>

#include <kubist/data/json.hpp>

namespace kubist::data {

/// Appends the value as `kubectl -o yaml` prints it: sorted keys, lists at the indent of their key,
/// block literals for text of several lines, folding at 80 columns. Ends with a newline.
/// Bytes that are not UTF-8 become U+FFFD.
void write_yaml(const Json& value, std::string& out);

std::string to_yaml(const Json& value);

}  // namespace kubist::data
