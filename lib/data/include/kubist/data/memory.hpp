#pragma once
#include <cstddef>

#include <kubist/data/json.hpp>

namespace kubist::data {

/// About how many bytes of memory the value takes, with all that it holds. A text such as
/// [{},{},{}] takes some thirty times its own length. Recurses as deep as the value is.
std::size_t memory_of(const Json& value);

}  // namespace kubist::data
