#pragma once
#include <memory>
#include <string>
#include <utility>

#include <kubist/metrics/gathering.hpp>
#include <kubist/metrics/prometheus.hpp>
#include <kubist/metrics/provider.hpp>
#include <kubist/release/window.hpp>

#include "releases/releases.hpp"
#include "world/metric_sources.hpp"
#include "world/shared_answer.hpp"

namespace kubist::executors {

/// A query of a policy's own, and the parameters that fill it.
struct OwnQuery {
  const engine::PromqlQuery& query;
  const data::Json& parameters;
};

/// Reads the counters of releases, and asks the queries of their policies. One for a run; any
/// thread.
class ReleaseMetrics {
 public:
  ReleaseMetrics(World& world, const engine::Graph& graph)
      : m_world(world), m_graph(graph), m_sources(world, graph) {}

  /// The caller's thread may measure a release before this ends: who asks first waits a moment for
  /// it.
  metrics::Arrivals::Mark coming() { return m_arrivals->coming(); }

  /// The window since the node's cursor, once it is as long as the interval. On several virtual
  /// clusters there is one when each of them has one that the canary has come to.
  util::Result<release::Measurement> measure(const engine::Node& node,
                                             const release::Snapshot& snapshot,
                                             const data::Json& spec, const std::stop_token& stop);

  /// The one number that a query gives now: {value}; on several virtual clusters {clusters: [{name,
  /// value}]}, each asked about itself. {reason, message} where one gives none. Values are
  /// `parameters` (texts and numbers), and namespace, release, destination, stable, canary, weight,
  /// interval. The same text is asked once in a run. Invalid: a value that is not there or cannot
  /// stand there; no Prometheus to ask (reason NoMetricsSource).
  util::Result<data::Json> answer(const engine::Node& node, const release::Snapshot& snapshot,
                                  const OwnQuery& query, const std::stop_token& stop);

 private:
  /// A virtual cluster, and the canary's percent there.
  struct Place {
    const std::string& target;
    int weight;
  };
  util::Result<release::Measurement> measure_on(const Place& where, const data::Json* cursor,
                                                const engine::Node& node,
                                                const release::Snapshot& snapshot,
                                                const data::Json& spec,
                                                const std::stop_token& stop);
  util::Result<std::shared_ptr<metrics::Provider>> provider(const engine::Node& node,
                                                            const deployers::Place& place,
                                                            const release::Plan& plan,
                                                            const data::Json& settings,
                                                            const std::stop_token& stop);
  util::Result<std::shared_ptr<metrics::Prometheus>> prometheus(
      const engine::Node& node, const std::shared_ptr<kube::Client>& client,
      const release::Plan& plan, const data::Json& settings, const std::stop_token& stop);
  util::Result<data::Json> answer_on(const std::string& target, const engine::Node& node,
                                     const release::Snapshot& snapshot, const OwnQuery& query,
                                     const std::stop_token& stop);
  metrics::Subject subject_of(const engine::Node& node, const release::Plan& plan,
                              const deployers::Place& place) const;

  World& m_world;
  const engine::Graph& m_graph;
  MetricSources m_sources;
  std::shared_ptr<metrics::Arrivals> m_arrivals = std::make_shared<metrics::Arrivals>();
  SharedAnswers<std::string, std::shared_ptr<metrics::Provider>> m_gateways;
  SharedAnswers<std::shared_ptr<metrics::Prometheus>, std::shared_ptr<metrics::Provider>>
      m_gathering;
  SharedAnswers<std::pair<std::shared_ptr<metrics::Prometheus>, std::string>,
                metrics::Expected<double>>
      m_answers;
};

/// An answer that takes longer than the interval would come after the next question.
std::chrono::milliseconds patience(const release::Plan& plan);

}  // namespace kubist::executors
