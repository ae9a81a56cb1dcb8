#pragma once
#include <string>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>

namespace kubist::executors {

/// The project, by its namespace, of the resource that a policy or a function is asked about.
inline std::string project_of(const data::Json& input) {
  const data::Json& items = data::array_at(input, {"items"});
  return items.empty() ? std::string() : std::string(resources::ObjectView(items[0]).ns());
}

}  // namespace kubist::executors
