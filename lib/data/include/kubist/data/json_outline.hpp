#pragma once
#include <string_view>

#include <kubist/data/json.hpp>

namespace kubist::data {

/// What can be told of an object that parse_json() refuses (it is nested too deep): its apiVersion
/// and kind, and of metadata (without managedFields) and spec the members that can be read. Takes
/// linear time and does not recurse.
Json outline(std::string_view raw);

}  // namespace kubist::data
