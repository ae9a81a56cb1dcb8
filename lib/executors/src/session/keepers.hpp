#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>

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

/// As the tree says: a project's own namespace, those of its virtual clusters, and where executors
/// of ExecutorDefinitions made something for it.
Keepers find_keepers(const engine::Graph& graph, Session& session);

}  // namespace kubist::executors
