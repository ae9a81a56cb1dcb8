#include <algorithm>
#include <span>
#include <tuple>

#include <kubist/util/text.hpp>

#include "graph_builder.hpp"

// What waits for what, in which order a graph's nodes run, and cycles in which none can.
namespace kubist::engine {

using util::cat;
using util::ErrorKind;

namespace {

constexpr std::size_t k_max_edges = 500'000;  // of a namespace
constexpr std::size_t k_shown = 20;           // nodes of a cycle in its message

/// Of several targets the one on the same virtual cluster is meant, where there is one. `all` is
/// sorted, so by target.
std::span<const NodeId> meant(const Graph& graph, const std::vector<NodeId>& all,
                              const std::string& target) {
  const auto target_of = [&](NodeId id) -> const std::string& { return graph[id].target; };
  const auto same = std::ranges::lower_bound(all, target, {}, target_of);
  const bool found = !target.empty() && same != all.end() && target_of(*same) == target;
  return found ? std::span(same, 1) : std::span(all);
}

util::Error not_found(const Node& node, const Key& dependency) {
  const std::string where = dependency.ns.empty() ? "" : cat(" in namespace ", dependency.ns);
  return util::make_error(
      ErrorKind::invalid,
      cat(to_string(node), " depends on ", to_string(dependency), ", which does not exist", where),
      "", "DependencyNotFound");
}

util::Error too_many(const Node& node) {
  return util::make_error(ErrorKind::invalid,
                          cat(to_string(node), ": with its dependencies on each target, namespace ",
                              node.key.ns, " has more than ", k_max_edges),
                          "Depend on what is on the same virtual clusters, or on fewer objects.",
                          "TooManyDependencies");
}

}  // namespace

void GraphBuilder::resolve_dependencies() {
  std::unordered_map<Key, std::vector<NodeId>, KeyHash> known;
  std::unordered_map<std::string, std::size_t> edges;  // by namespace
  for (Node& node : m_graph.m_nodes) {
    for (const Key& dependency : node.depends_on) {
      const auto [entry, fresh] = known.try_emplace(dependency);
      if (fresh) {
        entry->second = m_graph.find(dependency);
        std::erase_if(entry->second, [&](NodeId id) { return m_graph[id].leaving; });
      }
      const auto found = meant(m_graph, entry->second, node.target);
      if (found.empty() && !node.problem) {
        set_problem(node, not_found(node, dependency));
      }
      if (edges[node.key.ns] + found.size() > k_max_edges) {
        set_problem(node, too_many(node));
        break;
      }
      edges[node.key.ns] += found.size();
      for (const NodeId id : found) {
        node.waits_for.push_back(id);
        m_graph.m_nodes[id].waited_by.push_back(node.id);
      }
    }
  }
}

std::size_t GraphBuilder::depth(NodeId id) const {
  std::size_t depth = 0;
  for (; m_graph[id].parent != k_no_node; id = m_graph[id].parent) {
    ++depth;
  }
  return depth;
}

std::pair<NodeId, NodeId> GraphBuilder::lifted(NodeId a, NodeId b) const {
  std::size_t depth_a = depth(a);
  std::size_t depth_b = depth(b);
  for (; depth_a > depth_b; --depth_a) {
    a = m_graph[a].parent;
  }
  for (; depth_b > depth_a; --depth_b) {
    b = m_graph[b].parent;
  }
  while (a != b && m_graph[a].parent != m_graph[b].parent) {
    a = m_graph[a].parent;
    b = m_graph[b].parent;
  }
  return {a, b};
}

// A node that depends on something of a later kind (a Cluster on the Execution that makes it) moves
// to that kind's place among its siblings, else each would wait for the other.
void GraphBuilder::raise_ranks() {
  auto& nodes = m_graph.m_nodes;
  std::unordered_multimap<NodeId, NodeId> followers;
  std::vector<std::pair<NodeId, NodeId>> edges;
  for (const Node& node : nodes) {
    for (NodeId dependency : node.waits_for) {
      auto [a, b] = lifted(node.id, dependency);
      if (a != b) {
        edges.emplace_back(a, b);
        followers.emplace(b, a);
      }
    }
  }
  while (!edges.empty()) {
    auto [a, b] = edges.back();
    edges.pop_back();
    if (nodes[a].rank >= nodes[b].rank) {
      continue;
    }
    nodes[a].rank = nodes[b].rank;
    auto [begin, end] = followers.equal_range(a);
    for (auto it = begin; it != end; ++it) {
      edges.emplace_back(it->second, a);
    }
  }
}

void GraphBuilder::sort_children() {
  auto& nodes = m_graph.m_nodes;
  auto by_rank = [&](NodeId a, NodeId b) {
    return std::tie(nodes[a].rank, a) < std::tie(nodes[b].rank, b);
  };
  std::sort(m_graph.m_roots.begin(), m_graph.m_roots.end(), by_rank);
  for (Node& node : nodes) {
    if (!std::is_sorted(node.children.begin(), node.children.end(), by_rank)) {
      std::sort(node.children.begin(), node.children.end(), by_rank);
    }
  }
}

std::vector<NodeId> GraphBuilder::predecessors(NodeId id) const {
  std::vector<NodeId> before = m_graph[id].waits_for;
  if (m_graph[id].parent != k_no_node) {
    before.push_back(m_graph[id].parent);
  }
  return before;
}

// Kahn's algorithm takes away all that can be ordered. Every node that is left waits for another
// one that is left, so walking back from any of them ends in a cycle.
void GraphBuilder::find_cycles() {
  std::size_t size = m_graph.size();
  std::vector<std::size_t> waits(size);
  std::vector<NodeId> free;
  for (NodeId id = 0; id < size; ++id) {
    waits[id] = m_graph[id].waits_for.size() + (m_graph[id].parent == k_no_node ? 0 : 1);
    if (waits[id] == 0) {
      free.push_back(id);
    }
  }
  std::size_t ordered = 0;
  while (!free.empty()) {
    NodeId id = free.back();
    free.pop_back();
    ++ordered;
    for (const auto* after : {&m_graph[id].children, &m_graph[id].waited_by}) {
      for (NodeId next : *after) {
        if (--waits[next] == 0) {
          free.push_back(next);
        }
      }
    }
  }
  std::vector<std::size_t> walk_of(ordered == size ? 0 : size, 0);
  for (NodeId start = 0; start < walk_of.size(); ++start) {
    std::vector<NodeId> walk;
    NodeId id = start;
    while (waits[id] > 0 && walk_of[id] == 0) {
      walk_of[id] = start + 1;
      walk.push_back(id);
      auto before = predecessors(id);
      id = *std::find_if(before.begin(), before.end(), [&](NodeId p) { return waits[p] > 0; });
    }
    if (auto first = std::find(walk.begin(), walk.end(), id); first != walk.end()) {
      report_cycle({first, walk.end()});
    }
  }
}

void GraphBuilder::report_cycle(const std::vector<NodeId>& cycle) {
  std::string text;
  for (NodeId id : std::span(cycle).first(std::min(cycle.size(), k_shown))) {
    text += to_string(m_graph[id]) + " -> ";
  }
  if (cycle.size() > k_shown) {
    text += cat("... (", cycle.size(), " in all) -> ");
  }
  text += to_string(m_graph[cycle.front()]);
  const auto error =
      util::make_error(ErrorKind::invalid, cat("dependsOn makes a cycle: ", text),
                       "take away one of these dependencies: dependsOn, or an import from another "
                       "Execution",
                       "DependencyCycle");
  for (NodeId id : cycle) {
    m_graph.m_nodes[id].problem = error;
    m_graph.m_nodes[id].problem_reason = error.reason;
  }
}

}  // namespace kubist::engine
