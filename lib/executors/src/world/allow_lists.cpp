#include "world/allow_lists.hpp"

#include <kubist/data/pointer.hpp>

namespace kubist::executors {

std::vector<const data::Json*> allow_lists(const engine::Graph& graph, const engine::Node& node,
                                           std::string_view name) {
  std::vector<const data::Json*> lists;
  for (engine::NodeId id = node.id; id != engine::k_no_node; id = graph[id].parent) {
    const std::string& kind = graph[id].key.kind;
    const data::Json* found = kind == "Project" || kind == "Root"
                                  ? data::find_path(graph[id].spec(), {"allow", name})
                                  : nullptr;
    if (found != nullptr && found->is_array()) {
      lists.push_back(found);
    }
  }
  return lists;
}

std::optional<std::vector<std::string>> allowed_by(const engine::Graph& graph,
                                                   const engine::Node& node,
                                                   std::string_view name) {
  std::optional<std::vector<std::string>> all;
  for (const data::Json* list : allow_lists(graph, node, name)) {
    all = all.value_or(std::vector<std::string>());
    for (std::string& each : data::strings_at(*list, {})) {
      all->push_back(std::move(each));
    }
  }
  return all;
}

}  // namespace kubist::executors
