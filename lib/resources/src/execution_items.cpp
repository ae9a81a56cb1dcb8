#include <kubist/resources/execution_items.hpp>

#include <algorithm>
#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using data::Json;
using util::cat;

namespace {

const Json& list_of(const Json& object, std::string_view key) {
  static const Json empty = Json::array();
  const Json* list = data::find_path(object, {key});
  return list != nullptr && list->is_array() ? *list : empty;
}

class ItemChecker {
 public:
  explicit ItemChecker(const Json& spec) : m_spec(spec), m_items(list_of(spec, "items")) {
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      m_names.emplace_back(data::string_at(m_items[i], {"name"}));
      m_index.emplace(m_names.back(), i);
    }
    m_marks.resize(m_items.size(), Mark::fresh);
  }

  std::vector<ItemProblem> run() {
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      const Json& before = list_of(m_items[i], "dependsOn");
      for (std::size_t k = 0; k < before.size(); ++k) {
        if (before[k].is_string() && !m_index.contains(before[k].get<std::string>())) {
          missing(cat("/items/", i, "/dependsOn/", k),
                  cat("item ", m_names[i], " depends on item "), before[k].get<std::string>());
        }
      }
    }
    const Json& exports = list_of(m_spec, "exports");
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
      for (const Json& name : list_of(m_items[i], "dependsOn")) {
        all[i].push_back(m_index.at(name.get<std::string>()));
      }
    }
    return all;
  }

 private:
  enum class Mark : char { fresh, open, closed };

  void missing(std::string pointer, const std::string& who, const std::string& name) {
    m_problems.push_back({std::move(pointer),
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
    const Json& before = list_of(m_items[item], "dependsOn");
    for (std::size_t k = 0; k < before.size(); ++k) {
      const auto next = before[k].is_string() ? m_index.find(before[k].get<std::string>())
                                              : m_index.end();
      if (next == m_index.end()) {
        continue;
      }
      if (m_marks[next->second] == Mark::open) {
        cycle(next->second, cat("/items/", item, "/dependsOn/", k));
      } else {
        visit(next->second);
      }
    }
    m_path.pop_back();
    m_marks[item] = Mark::closed;
  }

  void cycle(std::size_t first, std::string pointer) {
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

std::vector<ItemProblem> item_problems(const Json& execution_spec) {
  return ItemChecker(execution_spec).run();
}

std::vector<std::vector<std::size_t>> item_dependencies(const Json& execution_spec) {
  return ItemChecker(execution_spec).dependencies();
}

}  // namespace kubist::resources
