#pragma once
#include <string>

#include <kubist/data/json.hpp>

namespace kubist::data {

/// A value as Go's fmt prints it, which is what kubectl does in custom columns: "map[a:1]", "[x
/// y]".
std::string go_text(const Json& value);

}  // namespace kubist::data
