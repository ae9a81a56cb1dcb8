#pragma once
#include <map>
#include <memory>
#include <mutex>

#include <kubist/metrics/provider.hpp>

#include "releases.hpp"

namespace kubist::executors {

/// What was measured of a release at one look.
struct ReleaseWindow {
  /// For policies: {seconds, weight, arms: {VERSION: {requests, errors, latency: [{le, count}]}}}
  /// (on several virtual clusters the sums, and clusters: [{name, arms}]),
  /// or {reason, message} where there is no window: WindowBegins, WindowOpen, NotObserved, or why
  /// nothing could be read (metrics/answer.hpp).
  data::Json window;
  data::Json cursor;  ///< status.cursor: where the next window begins; null: nowhere
};

/// Reads the counters of releases. One for a run; any thread.
class ReleaseMetrics {
 public:
  ReleaseMetrics(World& world, const engine::Graph& graph) : m_world(world), m_graph(graph) {}

  /// The window since the node's cursor, once it is as long as the interval. On several virtual
  /// clusters there is one when each of them has one.
  util::Result<ReleaseWindow> measure(const engine::Node& node, const ReleaseLook& look,
                                      const data::Json& spec, const std::stop_token& stop);

 private:
  util::Result<ReleaseWindow> measure_on(const std::string& target, const data::Json* cursor,
                                         const engine::Node& node, const ReleaseLook& look,
                                         const data::Json& spec, const std::stop_token& stop);
  util::Result<std::shared_ptr<metrics::Provider>> provider(
      const std::shared_ptr<kube::Client>& client, const data::Json& settings,
      std::chrono::milliseconds timeout);
  metrics::Subject subject_of(const engine::Node& node, const release::Plan& plan,
                              const std::string& ns) const;

  World& m_world;
  const engine::Graph& m_graph;
  std::mutex m_mutex;  ///< guards m_providers
  std::map<std::string, std::shared_ptr<metrics::Provider>> m_providers;
};

}  // namespace kubist::executors
