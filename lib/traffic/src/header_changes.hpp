#pragma once
#include <string>

#include <kubist/data/json.hpp>

namespace kubist::traffic {

/// What is wrong with {set: {}, add: {}, remove: []} of a route; empty: nothing. A proxy refuses
/// all its routes for one name or value that it cannot read.
std::string header_problem(const data::Json& changes);

/// The same of one value.
bool is_header_value(const std::string& value);

}  // namespace kubist::traffic
