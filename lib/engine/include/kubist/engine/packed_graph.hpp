#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kubist/data/packed_objects.hpp>
#include <kubist/engine/graph.hpp>

namespace kubist::engine {

/// A tree that is seldom looked at, in less memory: of some of its nodes only the names and where
/// they stand. Never changed: any thread may unpack it, several at once.
class PackedGraph {
 public:
  /// Of the nodes for which `outlined` holds the objects are left out. Such a node takes about 30
  /// bytes where it is a leaf without anything of its own (policies, dependencies, a problem, ...).
  PackedGraph(const Graph& graph, const std::function<bool(const Node&)>& outlined);
  /// The tree with the same ids. The objects of outlined nodes have no more than their kind, and
  /// leaves no uid, version, finalizers or status_summary.
  Graph unpack() const;

 private:
  struct Leaf {
    NodeId id;
    NodeId parent;
    std::uint32_t place;   ///< in m_places
    std::uint32_t length;  ///< of its name in m_names
    unsigned rank;
  };
  /// What leaves have in common: group and kind, and namespace.
  struct Place {
    std::string group, kind, ns;
    bool foreign_status = false;
    bool operator==(const Place&) const = default;
  };
  std::uint32_t place_of(const Node& node);

  std::vector<Node> m_nodes;  ///< but the leaves; without their objects
  data::PackedObjects m_objects;
  std::vector<Leaf> m_leaves;
  std::vector<Place> m_places;
  std::string m_names;  ///< of the leaves, one after the other
  std::vector<NodeId> m_roots;
  std::unordered_map<std::string, NodeId> m_project_of;
};

}  // namespace kubist::engine
