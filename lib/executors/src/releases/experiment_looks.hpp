#pragma once
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/release/experiment_loop.hpp>

#include "world/metric_sources.hpp"
#include "world/shared_answer.hpp"

namespace kubist::executors {

/// An Experiment as it is at one moment of a run, before its policies.
struct ExperimentLook {
  experiment::Plan plan;
  experiment::Progress before;
  const engine::Node* route = nullptr;         ///< null: it is not there; as long as the graph
  std::optional<experiment::Reading> reading;  ///< where this evaluation reads its goals
};

/// What policies see of it: its route, where it is there, and the ExperimentObservation.
std::vector<data::Json> observed_of(const ExperimentLook& look);

/// The experiments of one run. Any thread.
class ExperimentLooks {
 public:
  /// The world and the graph outlive it.
  ExperimentLooks(World& world, const engine::Graph& graph)
      : m_world(world), m_graph(graph), m_sources(world, graph) {}

  /// Taken once in a run. Errors are those of experiment::read_plan() and, where the goals are to
  /// be read, of require_project() and Sites::of().
  util::Result<std::shared_ptr<const ExperimentLook>> of(const engine::Node& node,
                                                         const std::stop_token& stop);

 private:
  util::Result<std::shared_ptr<const ExperimentLook>> take(const engine::Node& node,
                                                           const std::stop_token& stop);
  World& m_world;
  const engine::Graph& m_graph;
  MetricSources m_sources;
  SharedAnswers<engine::NodeId, std::shared_ptr<const ExperimentLook>> m_looks;
};

}  // namespace kubist::executors
