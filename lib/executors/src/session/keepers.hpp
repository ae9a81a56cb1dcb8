#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <kubist/engine/graph.hpp>
#include <kubist/executors/session.hpp>

namespace kubist::executors {

/// Whose name is in a list of keepers: the project's namespace, or (no namespace) "Kind/name".
std::string keeper_name(const engine::Key& owner);

/// The projects, by keeper_name(), whose nodes keep objects in a namespace of a cluster, or
/// keep a cluster-scoped object; by its name.
using KeepersThere = std::map<std::string, std::set<std::string>>;
/// The same of all clusters that are connected to, by their clients.
using Keepers = std::map<const kube::Client*, KeepersThere>;

/// So many entries count for all of this of one list in a status: who may write it may write any
/// number.
inline constexpr std::size_t k_most_kept = 2'000;
/// The nodes that have a longer one.
std::set<engine::Key> find_long_lists(const engine::Graph& graph);

/// As the tree says: a project's own namespace, those of its virtual clusters, and where executors
/// of ExecutorDefinitions made something for it.
Keepers find_keepers(const engine::Graph& graph, Session& session);

using GroupKind = std::pair<std::string_view, std::string_view>;
/// With the projects that keep it only by what statuses say; none: kubist's own executors keep that
/// kind.
using KeptKinds = std::map<GroupKind, std::set<std::string>>;
/// What nodes may keep in their namespaces. REQUIRES: the graph outlives it.
KeptKinds kept_kinds(const engine::Graph& graph);

/// Objects of one kind that nodes keep: in a namespace, or one that is cluster-scoped.
struct KeptPlace {
  std::string group, kind;
  std::string ns;    ///< empty: it is cluster-scoped
  std::string name;  ///< of a cluster-scoped one
  auto operator<=>(const KeptPlace&) const = default;
};
/// With each Project for which that is done, or the Root or Cluster itself, of the graph; null: for
/// none. Who may write a status may name any place there. By the cluster's client.
using KeptPlaces =
    std::map<const kube::Client*, std::set<std::pair<KeptPlace, const engine::Node*>>>;
/// The project's namespace of such a keeper; empty: it has none.
std::string keeper_namespace(const engine::Node* keeper);

/// As the tree and its inventories say: namespaces, and what runs have made.
KeptPlaces find_places(const engine::Graph& graph, Session& session);

}  // namespace kubist::executors
