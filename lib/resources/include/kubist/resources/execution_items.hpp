#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

namespace kubist::resources {

/// Something that the spec of an Execution says of its items and that cannot be.
struct ItemProblem {
  std::string pointer;  ///< into the spec: "/items/1/dependsOn/0"
  std::string message;  ///< names the item
  std::string hint;
};

/// Items that wait (by dependsOn or an import's itemRef) for one that does not exist or for each
/// other (printed as a cycle), exports of items that do not exist, and imports of the Execution
/// from its own items. The first 100. Whatever the schema would refuse is passed over.
std::vector<ItemProblem> item_problems(const data::Json& execution_spec);

/// An Execution whose export the Execution, or one of its items, imports.
struct ImportedExecution {
  std::string name;
  std::string pointer;  ///< into the spec: "/imports/0/executionRef/name"
};
std::vector<ImportedExecution> imported_executions(const data::Json& execution_spec);

/// The positions of the items that each item waits for, by position. REQUIRES: no item_problems().
std::vector<std::vector<std::size_t>> item_dependencies(const data::Json& execution_spec);

}  // namespace kubist::resources
