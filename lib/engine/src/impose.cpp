#include "impose.hpp"

#include <algorithm>

#include <kubist/engine/made_items.hpp>
#include <kubist/util/text.hpp>

namespace kubist::engine {

using resources::Imposition;
using resources::NamedCall;

namespace {

bool is_for(const Imposition& imposed, std::string_view kind) {
  return std::find(imposed.kinds.begin(), imposed.kinds.end(), kind) != imposed.kinds.end();
}

bool is_own(const NamedCall& policy) { return policy.imposed_by.empty(); }

void impose_one(Node& node, const Imposition& what, const std::string& by) {
  std::vector<NamedCall> imposed;
  for (const NamedCall& policy : what.policies) {
    const auto same = [&](const auto& own) {
      return is_own(own) && util::iequals(own.name, policy.name);
    };
    if (what.allow_override && std::any_of(node.policies.begin(), node.policies.end(), same)) {
      continue;
    }
    std::erase_if(node.policies, same);
    imposed.push_back(policy);
    imposed.back().imposed_by = by;
  }
  node.policies.insert(what.last ? node.policies.end() : node.policies.begin(), imposed.begin(),
                       imposed.end());
}

/// The Root and the Project above a node, the nearest first.
std::vector<NodeId> imposers_of(const Graph& graph, NodeId node) {
  std::vector<NodeId> above;
  for (NodeId up = graph[node].parent; up != k_no_node; up = graph[up].parent) {
    if (graph[up].key.kind == "Root" || graph[up].key.kind == "Project") {
      above.push_back(up);
    }
  }
  return above;
}

}  // namespace

std::vector<Imposition> impositions_of(const Node& node) {
  if (node.key.kind != "Root" && node.key.kind != "Project") {
    return {};
  }
  auto found = resources::impositions_of(*node.object);
  // Each one that comes first goes to the front, so the last of these is put there first.
  const auto end = std::stable_partition(found.begin(), found.end(),
                                         [](const auto& each) { return !each.last; });
  std::reverse(found.begin(), end);
  return found;
}

void impose(Node& node, const std::vector<Imposition>& all, const std::string& by) {
  for (const Imposition& each : all) {
    if (is_for(each, node.key.kind)) {
      impose_one(node, each, by);
    }
  }
}

bool imposes_on_items(const Node& node, std::string_view policy) {
  const auto all = impositions_of(node);
  return std::any_of(all.begin(), all.end(), [&](const Imposition& each) {
    return is_for(each, "DeployItem") &&
           std::any_of(each.policies.begin(), each.policies.end(), [&](const NamedCall& call) {
             return policy.empty() || util::iequals(call.name, policy);
           });
  });
}

const Node* imposer_on_items(const Graph& graph, NodeId node) {
  while (node != k_no_node && !imposes_on_items(graph[node])) {
    node = graph[node].parent;
  }
  return node == k_no_node ? nullptr : &graph[node];
}

std::optional<MadeItems> made_items(const Graph& graph, NodeId maker,
                                    const std::vector<Json>& items) {
  if (imposer_on_items(graph, maker) == nullptr) {
    return std::nullopt;
  }
  const auto above = imposers_of(graph, maker);
  MadeItems made;
  auto& nodes = made.graph.m_nodes;
  NodeId parent = k_no_node;
  const auto add = [&](Node node) {
    node.id = static_cast<NodeId>(nodes.size());
    node.parent = parent;
    return nodes.emplace_back(std::move(node)).id;
  };
  for (auto id = above.rbegin(); id != above.rend(); ++id) {
    Node copy;  // without the edges of its tree
    copy.key = graph[*id].key;
    copy.object = graph[*id].object;
    parent = add(std::move(copy));
  }
  std::vector<std::pair<std::vector<Imposition>, std::string>> imposed;  // with whose they are
  for (const NodeId id : above) {
    imposed.emplace_back(impositions_of(graph[id]), to_string(graph[id]));
  }
  for (const Json& item : items) {
    Node node = make_node(item);
    node.policies = graph[maker].policies;  // to see what is overridden
    std::erase_if(node.policies, [](const NamedCall& policy) { return !is_own(policy); });
    for (const auto& [what, by] : imposed) {
      impose(node, what, by);
    }
    std::erase_if(node.policies, is_own);
    made.ids.push_back(add(std::move(node)));
  }
  return made;
}

}  // namespace kubist::engine
