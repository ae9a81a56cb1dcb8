#pragma once
#include <optional>
#include <utility>

#include <kubist/data/json.hpp>
#include <kubist/resources/object.hpp>

namespace kubist::executors {

/// Which list in a node's status names the objects that are kept: status.inventory, or
/// status.executor.inventory of what a function makes beside the built-in executor of its kind.
class InventoryBook {
 public:
  /// status.inventory.
  InventoryBook() = default;
  /// status.executor.inventory; `executor` is status.executor without it.
  static InventoryBook of_function(data::Json executor) {
    InventoryBook book;
    book.m_executor = std::move(executor);
    return book;
  }
  /// The status fields, each with its whole value, that hold this list (null: an empty one).
  data::Json fields(data::Json entries) const;

 private:
  std::optional<data::Json> m_executor;
};

/// The lists of a status; an empty one where there is none.
const data::Json& own_inventory(const data::Json& status);
const data::Json& function_inventory(const data::Json& status);
/// Is that object one of a list?
bool is_listed(const data::Json& inventory, const resources::ObjectRef& object);

}  // namespace kubist::executors
