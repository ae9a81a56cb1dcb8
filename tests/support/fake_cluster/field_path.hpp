#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fields.hpp"

// The elements of a FieldPath.
namespace kubist::testing {

/// `f:KEY`.
std::string field_element(std::string_view key);
/// `k:{...}` or `v:...` of an item of a merged list.
std::string item_element(const data::Json& item, const std::vector<std::string>& keys);
/// Does the server merge that list item by item? Then `keys` tells items apart; none: their values.
bool merges(const data::Json& list, const Shape& shape, std::vector<std::string>& keys);
FieldPath with(FieldPath path, std::string element);

}  // namespace kubist::testing
