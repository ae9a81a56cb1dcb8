#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

namespace kubist::data {

/// The places where two values differ, as JSON pointers in document order; empty when equal.
/// Numbers compare by value (1 equals 1.0). A missing key and null differ. At most `limit` places.
std::vector<std::string> differences(const Json& a, const Json& b, std::size_t limit = 100);

/// Is everything that `part` says also in `whole`? Maps may have more keys there; lists must have
/// the same length and hold each element in turn.
bool contains_all(const Json& whole, const Json& part);

}  // namespace kubist::data
