#include "keep/inventory_book.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>

namespace kubist::executors {

using data::Json;

Json InventoryBook::fields(Json entries) const {
  if (!m_executor) {
    return {{"inventory", std::move(entries)}};
  }
  Json executor = *m_executor;
  if (!entries.is_null()) {
    executor["inventory"] = std::move(entries);
  }
  return {{"executor", std::move(executor)}};
}

const Json& own_inventory(const Json& status) { return data::array_at(status, {"inventory"}); }

const Json& function_inventory(const Json& status) {
  return data::array_at(status, {"executor", "inventory"});
}

bool is_listed(const Json& inventory, const resources::ObjectRef& object) {
  const Json& entries = data::array_at(inventory, {});
  return std::any_of(entries.begin(), entries.end(), [&](const Json& entry) {
    const auto text = [&](std::string_view key) { return data::string_at(entry, {key}); };
    return text("group") == object.group && text("kind") == object.kind &&
           text("namespace") == object.ns && text("name") == object.name;
  });
}

}  // namespace kubist::executors
