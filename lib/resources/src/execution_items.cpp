#include <algorithm>
#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/execution_items.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using data::Json;
using util::cat;

namespace {

/// Each names all items, and there may be one for each name in each dependsOn.
constexpr std::size_t k_most_problems = 100;

class ItemChecker {
 public:
  explicit ItemChecker(const Json& spec) : m_spec(spec), m_items(data::array_at(spec, {"items"})) {
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      m_names.emplace_back(data::string_at(m_items[i], {"name"}));
      m_index.emplace(m_names.back(), i);
    }
    m_marks.resize(m_items.size(), Mark::fresh);
  }

  std::vector<ItemProblem> run() {
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      for (const Edge& edge : edges_of(i)) {
        if (!m_index.contains(edge.item)) {
          missing(edge.pointer, cat("item ", m_names[i], " depends on item "), edge.item);
        }
      }
    }
    refuse_own_exports();
    const Json& exports = data::array_at(m_spec, {"exports"});
    for (std::size_t i = 0; i < exports.size(); ++i) {
      const std::string item(data::string_at(exports[i], {"item"}));
      if (!item.empty() && !m_index.contains(item)) {
        missing(cat("/exports/", i, "/item"),
                cat("export ", data::string_at(exports[i], {"name"}), " comes from item "), item);
      }
    }
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      visit(i);
    }
    return std::move(m_problems);
  }

  std::vector<std::vector<std::size_t>> dependencies() const {
    std::vector<std::vector<std::size_t>> all(m_items.size());
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      for (const Edge& edge : edges_of(i)) {
        all[i].push_back(m_index.at(edge.item));
      }
      std::sort(all[i].begin(), all[i].end());
      all[i].erase(std::unique(all[i].begin(), all[i].end()), all[i].end());
    }
    return all;
  }

 private:
  enum class Mark : char { fresh, open, closed };
  struct Edge {
    std::string item;
    std::string pointer;
  };

  /// What an item waits for: by dependsOn, or because it imports what the other exports.
  std::vector<Edge> edges_of(std::size_t item) const {
    std::vector<Edge> edges;
    const Json& before = data::array_at(m_items[item], {"dependsOn"});
    for (std::size_t k = 0; k < before.size(); ++k) {
      if (before[k].is_string()) {
        edges.push_back({before[k].get<std::string>(), cat("/items/", item, "/dependsOn/", k)});
      }
    }
    const Json& imports = data::array_at(m_items[item], {"imports"});
    for (std::size_t k = 0; k < imports.size(); ++k) {
      const auto name = data::string_at(imports[k], {"itemRef", "name"});
      if (!name.empty()) {
        edges.push_back({std::string(name), cat("/items/", item, "/imports/", k, "/itemRef/name")});
      }
    }
    return edges;
  }

  // All items get the imports of the Execution: one of their own exports would come too late.
  void refuse_own_exports() {
    const Json& imports = data::array_at(m_spec, {"imports"});
    for (std::size_t i = 0; i < imports.size() && !are_enough(); ++i) {
      if (imports[i].contains("itemRef")) {
        m_problems.push_back({cat("/imports/", i, "/itemRef"),
                              cat("import ", data::string_at(imports[i], {"name"}),
                                  " of the Execution cannot come from one of its items"),
                              "give it in the imports of the item that needs it"});
      }
    }
  }

  bool are_enough() const { return m_problems.size() >= k_most_problems; }

  void missing(std::string pointer, const std::string& who, const std::string& name) {
    if (are_enough()) {
      return;
    }
    m_problems.push_back(
        {std::move(pointer),
         cat(who, name, ", which does not exist", util::did_you_mean(name, m_names)),
         cat("items here: ", util::join(m_names, ", "))});
  }

  // An Execution has few items: recursion is bounded by their number.
  void visit(std::size_t item) {
    if (m_marks[item] != Mark::fresh) {
      return;
    }
    m_marks[item] = Mark::open;
    m_path.push_back(item);
    for (const Edge& edge : edges_of(item)) {
      const auto next = m_index.find(edge.item);
      if (next == m_index.end()) {
        continue;
      }
      if (m_marks[next->second] == Mark::open) {
        cycle(next->second, edge.pointer);
      } else {
        visit(next->second);
      }
    }
    m_path.pop_back();
    m_marks[item] = Mark::closed;
  }

  void cycle(std::size_t first, std::string pointer) {
    if (are_enough()) {
      return;
    }
    std::string text;
    for (auto at = std::find(m_path.begin(), m_path.end(), first); at != m_path.end(); ++at) {
      text += cat(m_names[*at], " -> ");
    }
    m_problems.push_back({std::move(pointer),
                          cat("these items wait for each other: ", text, m_names[first]),
                          "take one of these dependencies away"});
  }

  const Json& m_spec;
  const Json& m_items;
  std::vector<std::string> m_names;
  std::map<std::string, std::size_t> m_index;
  std::vector<Mark> m_marks;
  std::vector<std::size_t> m_path;
  std::vector<ItemProblem> m_problems;
};

}  // namespace

std::vector<ImportedExecution> imported_executions(const Json& execution_spec) {
  std::vector<ImportedExecution> found;
  const auto add = [&found](const Json& imports, const std::string& pointer) {
    for (std::size_t i = 0; i < imports.size(); ++i) {
      const auto name = data::string_at(imports[i], {"executionRef", "name"});
      if (!name.empty()) {
        found.push_back({std::string(name), cat(pointer, "/", i, "/executionRef/name")});
      }
    }
  };
  add(data::array_at(execution_spec, {"imports"}), "/imports");
  const Json& items = data::array_at(execution_spec, {"items"});
  for (std::size_t i = 0; i < items.size(); ++i) {
    add(data::array_at(items[i], {"imports"}), cat("/items/", i, "/imports"));
  }
  return found;
}

std::vector<ItemProblem> item_problems(const Json& execution_spec) {
  return ItemChecker(execution_spec).run();
}

std::vector<std::vector<std::size_t>> item_dependencies(const Json& execution_spec) {
  return ItemChecker(execution_spec).dependencies();
}

}  // namespace kubist::resources
