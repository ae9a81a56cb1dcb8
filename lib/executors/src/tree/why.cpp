#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/execution.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/executors/why.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/inventory_book.hpp"
#include "world/work.hpp"

namespace kubist::executors {

using data::Json;
using engine::Graph;
using engine::Key;
using engine::Node;
using resources::ObjectView;
using util::cat;

namespace {

/// When that field manager wrote it last (`begins`: all whose names begin so); empty: never.
std::string written_at(const Json* live, std::string_view manager, bool begins = false) {
  std::string at;
  const Json none;
  for (const Json& entry :
       data::array_at(live != nullptr ? *live : none, {"metadata", "managedFields"})) {
    const std::string_view by = data::string_at(entry, {"manager"});
    if (by == manager || (begins && by.starts_with(manager))) {
      at = std::max(at, std::string(data::string_at(entry, {"time"})));
    }
  }
  return at;
}

bool names(const Json& entry, const Key& object) {
  return data::string_at(entry, {"kind"}) == object.kind &&
         data::string_at(entry, {"name"}) == object.name &&
         data::string_at(entry, {"namespace"}) == object.ns;
}

bool has_in_inventory(const Node& node, const Key& object) {
  return is_listed(own_inventory(node.status()), object) ||
         is_listed(function_inventory(node.status()), object);
}

/// "apply v1 ConfigMap/shop/web on eu: data change" names ConfigMap shop/web.
bool is_named_in(const std::string& write, const Key& object) {
  const auto words = util::split(write, ' ');
  const std::string name =
      cat(object.kind, '/', object.ns, object.ns.empty() ? "" : "/", object.name);
  return words.size() > 2 && (words[2] == name || words[2] == name + ':');
}

Keeper keeper_of(const Graph& graph, const Node& node, const Key& object) {
  Keeper keeper{node.key, node.target, {}, {}, node.status(), {}, {}};
  for (engine::NodeId up = node.parent; up != engine::k_no_node; up = graph[up].parent) {
    keeper.above.push_back(graph[up].key);
  }
  for (const std::string& write : data::strings_at(keeper.status, {"lastRun", "writes"})) {
    if (is_named_in(write, object)) {
      keeper.writes.push_back(write);
    }
  }
  return keeper;
}

/// Items of Executions are no nodes: their Executions keep what they have.
void add_keepers_by_items(kube::Client& home, const Graph& graph, const std::string& ns,
                          const Key& object, const Json* live, const std::stop_token& stop,
                          std::vector<Keeper>& keepers) {
  const kube::ApiResource items =
      resource_of(*resources::find_kind(resources::k_landscaper_group, "DeployItem"));
  kube::ListOptions options;
  options.label_selector = deployers::k_execution_label;
  options.pass_unreadable = true;
  options.max_memory = kube::k_max_command_list_memory;
  const auto found = home.list(items, ns, options, stop);
  for (const Json& item : found ? found->items : std::vector<Json>()) {
    const ObjectView view(item);
    const Json& managed = data::array_at(item, {"status", "providerStatus", "managedResources"});
    const bool has =
        view.ref() == object || std::any_of(managed.begin(), managed.end(), [&](const Json& entry) {
          const Json* resource = data::find_path(entry, {"resource"});
          return resource != nullptr && names(*resource, object);
        });
    const Key execution{
        std::string(resources::k_kubist_group), "Execution", ns,
        std::string(data::string_at(item, {"metadata", "labels", deployers::k_execution_label}))};
    for (const engine::NodeId id : has ? graph.find(execution) : std::vector<engine::NodeId>()) {
      keepers.push_back(keeper_of(graph, graph[id], object));
      keepers.back().item = view.name();
      keepers.back().written_at = written_at(live, deployers::k_item_manager, true);
    }
  }
}

}  // namespace

util::Result<std::vector<Keeper>> keepers_of(kube::Client& home, const Key& object,
                                             const Json* live, const std::stop_token& stop) {
  KUBIST_TRY(const std::string uid, cluster_uid(home, stop));
  KUBIST_TRY(const TreeView view, load_tree_view(home, {}, stop));
  const Graph graph = build_graph(view);
  const std::string_view owner = live != nullptr
                                     ? ObjectView(*live).annotation(resources::k_owner_annotation)
                                     : std::string_view();
  std::vector<Keeper> keepers;
  std::set<std::string> namespaces;
  for (const Node& node : graph.nodes()) {
    namespaces.insert(node.key.ns);
    const std::string mark = owner_mark(uid, node.key);
    const std::string at = written_at(live, field_manager(mark));
    if (node.key == object || owner == mark || !at.empty() || has_in_inventory(node, object)) {
      keepers.push_back(keeper_of(graph, node, object));
      keepers.back().written_at = at;
    }
  }
  namespaces.erase("");
  if (keepers.empty()) {
    for (const std::string& ns : namespaces) {
      add_keepers_by_items(home, graph, ns, object, live, stop, keepers);
    }
  }
  return keepers;
}

}  // namespace kubist::executors
