#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kubist/engine/pipeline.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/release/snapshot.hpp>
#include <kubist/release/window.hpp>
#include <kubist/traffic/override.hpp>

#include "world/shared_answer.hpp"

namespace kubist::executors {

class ExperimentLooks;
struct ExperimentLook;
class ReleaseCalls;
class ReleaseListing;
class ReleaseMetrics;
class ReleaseWorkloads;

/// The releases of one run: what policies may see of them, and what they give their routes. Any
/// thread.
class Releases final : public engine::PolicyWorld {
 public:
  /// The world and the graph outlive it.
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
  util::Result<data::Json> call(const engine::Node& node,
                                const engine::RequestedCall& call) override;

  /// The node's snapshot, taken once in a run and shared by its policies and its executor. Errors
  /// are those of release::read_snapshot(), and of requests where it is on one virtual cluster.
  util::Result<std::shared_ptr<const release::Snapshot>> snapshot(const engine::Node& node,
                                                                  const data::Json& spec);

  /// An Experiment, and what was read of its goals where this evaluation reads them: once in a run,
  /// shared by its policies and its executor. Errors are those of experiment::read_plan() and of
  /// Sites::of().
  util::Result<std::shared_ptr<const ExperimentLook>> experiment(const engine::Node& node);

  /// What was measured in this run; nothing: nothing was.
  std::optional<release::Measurement> measured(const engine::Node& node);

  /// What a release gives a route in this run. One that gives it its own weights leaves it to one
  /// that moves them.
  void give(const engine::Key& route, traffic::Override given);
  std::optional<traffic::Override> override_of(const engine::Key& route) const;

 private:
  util::Result<release::Measurement> window(const engine::Node& node);
  /// What a query besides the window is answered.
  util::Result<data::Json> answer(const engine::Node& node, const engine::Query& query,
                                  const data::Json& parameters);
  World& m_world;
  const engine::Graph& m_graph;
  std::stop_token m_stop;
  /// Errors too: a node's policies and its executor go by one answer.
  template <class Key, class T>
  using Answers = SharedAnswers<Key, T, BadAnswers::kept>;
  Answers<engine::NodeId, std::shared_ptr<const release::Snapshot>> m_snapshots;
  Answers<engine::NodeId, release::Measurement> m_windows;
  Answers<std::pair<engine::NodeId, std::string>, data::Json> m_read;  ///< what URLs answered
  Answers<std::string, std::vector<data::Json>> m_approvals;           ///< by namespace
  mutable std::mutex m_mutex;                                          ///< guards m_overrides
  std::map<engine::Key, traffic::Override> m_overrides;
  std::unique_ptr<ReleaseListing> m_listing;
  std::unique_ptr<ReleaseMetrics> m_metrics;
  std::unique_ptr<ReleaseWorkloads> m_workloads;
  std::unique_ptr<ReleaseCalls> m_calls;
  std::unique_ptr<ExperimentLooks> m_experiments;
};

}  // namespace kubist::executors
