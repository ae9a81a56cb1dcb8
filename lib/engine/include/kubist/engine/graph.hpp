#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include <kubist/engine/node.hpp>
#include <kubist/util/result.hpp>

namespace kubist::engine {

struct MadeItems;

/// The tree of nodes with its dependsOn edges. Built once, never changed afterwards; any thread may
/// read it. Building takes linear time (10,000 nodes: some tens of milliseconds).
class Graph {
 public:
  /// Resolves parents and dependencies. Never fails: a node whose parent or dependency is missing,
  /// or that stands on a cycle, carries a `problem`, and the plan stops its subtree only.
  static Graph build(std::vector<Node> nodes);

  std::size_t size() const { return m_nodes.size(); }
  const std::vector<Node>& nodes() const { return m_nodes; }
  const Node& operator[](NodeId id) const { return m_nodes[id]; }
  /// Nodes without a parent, in order; dangling ones (ParentNotFound) are among them.
  const std::vector<NodeId>& roots() const { return m_roots; }

  /// The nodes of an object: one, several for an object with many targets, or none.
  std::vector<NodeId> find(const Key& key) const;
  /// The same, or not_found naming the nearest known name of that kind.
  util::Result<std::vector<NodeId>> require(const Key& key) const;

  /// The Project that owns a namespace of the home cluster, or nullptr. Of several that claim it
  /// the one that keeps it already, else the first by name.
  const Node* project_of(const std::string& ns) const;

  /// The node and all below it, parents before children.
  std::vector<NodeId> subtree(NodeId id) const;
  /// Every node, parents before children.
  std::vector<NodeId> preorder() const;

  /// Is this node or one above it suspended?
  bool suspended(NodeId id) const;
  /// Is this node or one above it being deleted, or does it leave its target? The Root is optional:
  /// its projects outlive it.
  bool deleting(NodeId id) const;

  /// All settings that hold for this node, merged (nearest wins, whole values). Made on demand.
  Json settings(NodeId id) const;

  /// The problems of all nodes, in order of the nodes: what `validate` and `plan` print.
  std::vector<util::Error> problems() const;

 private:
  friend class GraphBuilder;
  friend class PackedGraph;
  friend std::optional<MadeItems> made_items(const Graph& graph, NodeId maker,
                                             const std::vector<Json>& items);
  std::vector<Node> m_nodes;
  std::vector<NodeId> m_roots;
  std::unordered_multimap<Key, NodeId, KeyHash> m_index;
  std::unordered_map<std::string, NodeId> m_project_of;  ///< by its namespace
};

}  // namespace kubist::engine
