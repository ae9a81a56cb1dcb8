#pragma once
#include <memory>
#include <stop_token>
#include <string>

#include <kubist/engine/graph.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/http/guarded_transport.hpp>
#include <kubist/metrics/prometheus.hpp>

#include "world/shared_answer.hpp"

namespace kubist::executors {

/// The Prometheuses that objects name: {namespace, service} of the cluster in question, or {url,
/// authorizationSecretRef}. Those who name the same one share it, and what it took to find it.
/// For a run or less; any thread.
class MetricSources {
 public:
  MetricSources(World& world, const engine::Graph& graph) : m_world(world), m_graph(graph) {}

  /// Invalid: it names no Service or URL. Else it cannot be had now: AddressNotAllowed;
  /// SecretNotFound, SecretKeyNotFound, SecretNotUsable; as the API server answers.
  util::Result<std::shared_ptr<metrics::Prometheus>> prometheus(
      const engine::Node& node, const std::shared_ptr<kube::Client>& client,
      const data::Json& source, const metrics::PrometheusOptions& options,
      const std::stop_token& stop);

 private:
  util::Result<std::shared_ptr<metrics::Prometheus>> at_url(
      const engine::Node& node, const data::Json& source, const metrics::PrometheusOptions& options,
      const std::stop_token& stop);

  World& m_world;
  const engine::Graph& m_graph;
  const http::GuardedEngine m_engine;
  SharedAnswers<std::string, std::shared_ptr<metrics::Prometheus>> m_known;
};

/// Why nothing can be measured: {reason, message}. The error itself where the spec is wrong.
util::Result<data::Json> unmeasured(const util::Error& error);

}  // namespace kubist::executors
