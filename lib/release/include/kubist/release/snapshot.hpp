#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/release/loop.hpp>

namespace kubist::release {

/// What runs in a namespace that releases look at.
struct Running {
  /// spec.template.spec of a Deployment may be its JSON text: only its hash is wanted.
  std::vector<data::Json> pods, deployments;
};

/// What Deployments of a version tell of themselves in their status, summed.
struct WorkloadStatus {
  int deployments = 0;
  int replicas = 0;
  int updated = 0;
  int available = 0;
  int unavailable = 0;
  bool all_available = true;  ///< each has the condition Available
  std::string behind;         ///< one whose status is not yet about its present spec; empty: none
};

/// The workload of one version of a release.
struct VersionWorkload {
  data::Json labels;                         ///< of its pods
  std::map<std::string, WorkloadStatus> on;  ///< by virtual cluster that could be seen
};

/// A CanaryRelease and what it depends on, as they are at one moment of a run.
struct Snapshot {
  Plan plan;
  Progress before;
  Seen seen;
  VersionWorkload stable, canary;
};

/// What the graph tells: all but what runs of the versions (`seen` has the members only). `spec` is
/// the release's own after its policies. Invalid: the spec does not read, names no Destination or
/// version of it (reasons UnknownDestination, UnknownSubset), or a route that is kept on many
/// virtual clusters (RouteOnMany).
util::Result<Snapshot> read_snapshot(const engine::Graph& graph, const engine::Node& release,
                                     const data::Json& spec);

/// What runs of both versions in the namespace `ns` of one virtual cluster: adds their workloads to
/// the snapshot, and tells what is released and whether it is ready, without members.
Seen see_target(const Running& there, const std::string& ns, const std::string& target,
                Snapshot& snapshot);

/// All virtual clusters as one: what is released cannot be told while one of them cannot be
/// reached.
Seen see_targets(const std::vector<std::string>& targets,
                 const std::function<util::Result<Seen>(const std::string&)>& see,
                 const std::string& canary);

}  // namespace kubist::release
