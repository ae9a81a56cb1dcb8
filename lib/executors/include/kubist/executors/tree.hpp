#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/executors/object_source.hpp>
#include <kubist/resources/served.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

/// The label selector for the objects of a kind that are nodes of the tree: the DeployItems of an
/// Execution are its own business. Empty: all.
std::string tree_selector(const resources::Kind& kind);

/// DeployItems in namespaces that no project owns are no part of the tree, but those that somebody
/// named, or all where that was asked for.
struct Outside {
  bool all = false;
  std::set<resources::ObjectRef> named = {};
};

/// Every kubist object of the home cluster that a run needs. Of one that cannot be read there is
/// the outline (kube::Unreadable): each other one is not touched by that.
struct Snapshot {
  std::vector<ObjectPtr> nodes;           ///< of kinds in the tree
  std::vector<data::Json> definitions;    ///< policy and executor definitions
  std::vector<kube::ApiResource> served;  ///< kinds of the nodes that are none of kubist's own
  /// Why, of the nodes that cannot be read; by uid.
  std::map<std::string, util::Error, std::less<>> unreadable;
  /// Definitions that cannot be read, kinds that should be served and cannot be, and why.
  std::vector<std::string> warnings;
  /// The objects of a kind that is served could not be listed this time; a warning has why.
  bool incomplete = false;
  /// How many DeployItems of no project were left out, by namespace.
  std::map<std::string, std::size_t> left_alone;
};

/// Lists all kinds of kubist, one LIST each, at once, and then those that ExecutorDefinitions
/// serve. not_found, with the hint to run `kubist init`: the CRDs are missing. `ns`: only the
/// objects of that project namespace and the cluster-scoped ones (for callers who may list no
/// more). `source` (null: none) is asked before the server.
util::Result<Snapshot> load_snapshot(kube::Client& home, const std::string& ns,
                                     const std::stop_token& stop, ObjectSource* source = nullptr,
                                     const Outside& outside = {});

/// The kinds that ExecutorDefinitions among the objects serve, by the definitions' names.
std::vector<resources::ServedKind> served_kinds(const std::vector<data::Json>& definitions);

/// The same of all that are on the cluster.
util::Result<std::vector<resources::ServedKind>> load_served_kinds(kube::Client& home,
                                                                   const std::stop_token& stop);

/// All ExecutorDefinitions. Fails as load_snapshot() does.
util::Result<std::vector<data::Json>> load_executor_definitions(kube::Client& home,
                                                                const std::stop_token& stop);

/// The policy definitions that can be used in that namespace: its own and the cluster's. Fails as
/// load_snapshot() does.
util::Result<std::vector<data::Json>> load_policy_definitions(kube::Client& home,
                                                              const std::string& ns,
                                                              const std::stop_token& stop);

/// The nodes for a graph; one that cannot be read has that as its problem (Unreadable).
std::vector<engine::Node> nodes_of(const Snapshot& snapshot);

}  // namespace kubist::executors
