#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <kubist/engine/pipeline.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/release/loop.hpp>
#include <kubist/traffic/shift.hpp>
#include <kubist/traffic/split.hpp>

namespace kubist::executors {

/// What a release wants of one TrafficRoute.
struct RouteWish {
  std::string by;  ///< "CanaryRelease/NAME", "Experiment/NAME"
  int attempt = 1;
  /// Neither: the route's own weights.
  std::optional<traffic::Shift> shift;
  std::optional<traffic::Split> split;
  bool final = false;  ///< the release is over: the weights stay without it
  /// Percents of virtual clusters that another one holds than the shift has; 0: their own weights.
  std::map<std::string, int> held = {};
  bool moves() const { return shift || split; }
  /// What is wanted on one virtual cluster.
  RouteWish on(const std::string& cluster) const;
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
  std::map<std::string, WorkloadStatus> on;  ///< by virtual cluster that could be looked at
};

/// One look of a release at the world, taken once in a run and shared by its policies and its
/// executor.
struct ReleaseLook {
  release::Plan plan;
  release::Progress before;
  release::Seen seen;
  VersionWorkload stable, canary;
};

class ReleaseCalls;
class ReleaseListing;
class ReleaseMetrics;
class ReleaseWorkloads;
struct ReleaseWindow;

/// The releases of one run: what policies may see of them, and what they want of the routes. Any
/// thread.
class Releases final : public engine::PolicyWorld {
 public:
  /// What it looks through is given before the run, and outlives it.
  Releases(World& world, const engine::Graph& graph, std::stop_token stop);
  ~Releases() override;

  bool gathers(const engine::Node& node) const override;
  void gather(const engine::Node& node, const std::vector<engine::PolicyUse>& uses) override;
  util::Result<data::Json> metrics(const engine::Node& node,
                                   const engine::PolicyDefinition& definition,
                                   const data::Json& parameters) override;
  util::Result<std::vector<data::Json>> observed(const engine::Node& node) override;
  /// One LIST for each namespace and run.
  util::Result<std::vector<data::Json>> approvals(const engine::Node& node) override;
  util::Result<data::Json> call(const engine::Node& node, const engine::PolicyCall& call) override;

  /// The node's look; taken now when none was. Invalid: its spec does not read.
  util::Result<std::shared_ptr<const ReleaseLook>> look(const engine::Node& node,
                                                        const data::Json& spec);

  /// What was measured in this run; nothing: nothing was.
  std::optional<ReleaseWindow> measured(const engine::Node& node) const;

  /// Who wants nothing of a route leaves it to who does.
  void wish(const engine::Key& route, RouteWish wish);
  std::optional<RouteWish> wish_for(const engine::Key& route) const;

 private:
  struct Entry;
  std::shared_ptr<Entry> entry_of(const engine::Node& node);
  util::Result<ReleaseWindow> window(const engine::Node& node);
  /// What a query besides the window is answered.
  util::Result<data::Json> answer(const engine::Node& node, const engine::Query& query,
                                  const data::Json& parameters);
  /// What a URL answers, asked once in a run.
  data::Json read(const engine::Node& node, const ReleaseLook& look, const engine::WebQuery& query);
  World& m_world;
  const engine::Graph& m_graph;
  std::stop_token m_stop;
  mutable std::mutex m_mutex;  ///< guards the maps, not what is in them
  std::map<engine::NodeId, std::shared_ptr<Entry>> m_looks;
  std::map<engine::Key, RouteWish> m_wishes;
  std::mutex m_approvals_mutex;  ///< guards m_approvals, also while it is asked for
  std::map<std::string, util::Result<std::vector<data::Json>>> m_approvals;  ///< by namespace
  std::unique_ptr<ReleaseListing> m_listing;
  std::unique_ptr<ReleaseMetrics> m_metrics;
  std::unique_ptr<ReleaseWorkloads> m_workloads;
  std::unique_ptr<ReleaseCalls> m_calls;
};

}  // namespace kubist::executors
