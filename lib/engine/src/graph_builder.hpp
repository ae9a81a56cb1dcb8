#pragma once
#include <string>
#include <utility>
#include <vector>

#include <kubist/engine/graph.hpp>

namespace kubist::engine {

/// Is it of a kind that an ExecutorDefinition serves?
bool is_served(const Node& node);

/// Sets why the node cannot run.
void set_problem(Node& node, util::Error problem);

/// Builds a Graph in linear time (but for one sort); see Graph::build.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::vector<Node> nodes);
  Graph build();

 private:
  void expand_targets(std::vector<Node> nodes);
  void sort_and_index();
  void find_projects();
  void resolve_parents();
  NodeId find_parent(const Node& node, std::string& missing) const;
  void impose_policies();
  void resolve_dependencies();
  void check_items();
  void raise_ranks();
  void sort_children();
  void find_cycles();
  std::vector<NodeId> predecessors(NodeId id) const;
  void report_cycle(const std::vector<NodeId>& cycle);
  /// The children of the nearest common ancestor that stand above (or are) a and b.
  std::pair<NodeId, NodeId> lifted(NodeId a, NodeId b) const;
  std::size_t depth(NodeId id) const;

  Graph m_graph;
};

}  // namespace kubist::engine
