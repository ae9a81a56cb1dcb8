#pragma once
#include <string>

#include <kubist/metrics/workload.hpp>
#include <kubist/release/query.hpp>

#include "releases/releases.hpp"
#include "world/shared_answer.hpp"

namespace kubist::executors {

/// Answers what policies ask about the workloads of a release's versions. One for a run; any
/// thread.
class ReleaseWorkloads {
 public:
  ReleaseWorkloads(World& world, const engine::Graph& graph) : m_world(world), m_graph(graph) {}

  /// {value}; on several virtual clusters {clusters: [{name, value}]}. {reason, message} where one
  /// tells none: NoData (no Deployment of that version, no figures of pods), Stale (a Deployment's
  /// status is about an earlier spec), or why metrics.k8s.io could not be read.
  util::Result<data::Json> answer(const engine::Node& node, const release::Snapshot& snapshot,
                                  const engine::WorkloadQuery& query, const std::stop_token& stop);

 private:
  util::Result<metrics::Expected<double>> answer_on(const std::string& target,
                                                    const engine::Node& node,
                                                    const release::Snapshot& snapshot,
                                                    const engine::WorkloadQuery& query,
                                                    const std::stop_token& stop);
  util::Result<metrics::Expected<metrics::WorkloadUsage>> usage(const std::string& target,
                                                                const engine::Node& node,
                                                                const data::Json& labels,
                                                                const std::stop_token& stop);

  World& m_world;
  const engine::Graph& m_graph;
  /// By namespace, virtual cluster and labels.
  SharedAnswers<std::string, metrics::Expected<metrics::WorkloadUsage>> m_usages;
};

}  // namespace kubist::executors
