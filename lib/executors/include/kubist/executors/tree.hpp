#pragma once
#include <stop_token>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/served.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

/// The API resource of one of kubist's kinds, so that no discovery is needed.
kube::ApiResource resource_of(const resources::Kind& kind);

/// The label selector for the objects of a kind that are nodes of the tree: the DeployItems of an
/// Execution are its own business. Empty: all.
std::string tree_selector(const resources::Kind& kind);

/// Every kubist object of the home cluster that a run needs.
struct Snapshot {
  std::vector<data::Json> nodes;        ///< of kinds in the tree
  std::vector<data::Json> definitions;  ///< policy and executor definitions
  std::vector<kube::ApiResource> served;  ///< kinds of the nodes that are none of kubist's own
  std::vector<std::string> warnings;      ///< kinds that should be served and cannot be, and why
};

/// Lists all kinds of kubist, one LIST each, at once, and then those that ExecutorDefinitions
/// serve. not_found, with the hint to run `kubist init`: the CRDs are missing. `ns`: only the
/// objects of that project namespace and the cluster-scoped ones (for callers who may list no
/// more).
util::Result<Snapshot> load_snapshot(kube::Client& home, const std::string& ns,
                                     const std::stop_token& stop);

/// The kinds that ExecutorDefinitions among the objects serve, by the definitions' names.
std::vector<resources::ServedKind> served_kinds(const std::vector<data::Json>& definitions);

/// The same of all that are on the cluster.
util::Result<std::vector<resources::ServedKind>> load_served_kinds(kube::Client& home,
                                                                   const std::stop_token& stop);

/// The policy definitions that can be used in that namespace: its own and the cluster's. Fails as
/// load_snapshot() does.
util::Result<std::vector<data::Json>> load_policy_definitions(kube::Client& home,
                                                              const std::string& ns,
                                                              const std::stop_token& stop);

engine::Graph build_graph(const Snapshot& snapshot);

}  // namespace kubist::executors
