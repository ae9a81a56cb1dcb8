#include <algorithm>
#include <tuple>

#include <kubist/util/text.hpp>

#include "graph_builder.hpp"

// In which order a graph's nodes run, and cycles in which none can.
namespace kubist::engine {

using util::cat;
using util::ErrorKind;

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
  for (NodeId id : cycle) {
    text += to_string(m_graph[id]) + " -> ";
  }
  text += to_string(m_graph[cycle.front()]);
  auto error =
      util::make_error(ErrorKind::invalid, cat("dependsOn makes a cycle: ", text),
                       "take away one of these dependencies: dependsOn, or an import from another "
                       "Execution");
  error.reason = "DependencyCycle";
  for (NodeId id : cycle) {
    m_graph.m_nodes[id].problem = error;
    m_graph.m_nodes[id].problem_reason = error.reason;
  }
}

}  // namespace kubist::engine
