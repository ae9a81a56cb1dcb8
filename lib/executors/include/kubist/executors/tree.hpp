#pragma once
#include <stop_token>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/kinds.hpp>
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
};

/// Lists all kinds of kubist, one LIST each, at once. not_found, with the hint to run `kubist
/// init`: the CRDs are missing. `ns`: only the objects of that project namespace and the
/// cluster-scoped ones (for callers who may list no more).
util::Result<Snapshot> load_snapshot(kube::Client& home, const std::string& ns,
                                     const std::stop_token& stop);

/// The policy definitions that can be used in that namespace: its own and the cluster's. Fails as
/// load_snapshot() does.
util::Result<std::vector<data::Json>> load_policy_definitions(kube::Client& home,
                                                              const std::string& ns,
                                                              const std::stop_token& stop);

engine::Graph build_graph(const Snapshot& snapshot);

}  // namespace kubist::executors
