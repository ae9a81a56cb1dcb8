#include "releases/release_metrics.hpp"

#include <algorithm>
#include <cmath>

#include <kubist/data/pointer.hpp>
#include <kubist/metrics/gateway.hpp>
#include <kubist/release/routes.hpp>
#include <kubist/release/waves.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/traffic/entry_gateway.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "keep/sites.hpp"
#include "keep/traffic_place.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

constexpr std::chrono::seconds k_longest_query{10};

Json to_json(const metrics::Counts& counts) {
  Json latency = Json::array();
  for (const metrics::Bucket& bucket : counts.latency_ms) {
    latency.push_back(
        {{"le", std::isinf(bucket.le) ? Json("+Inf") : Json(bucket.le)}, {"count", bucket.count}});
  }
  return {{"requests", counts.requests}, {"errors", counts.errors}, {"latency", latency}};
}

struct Cursor {
  metrics::Sample sample;
  Json json;
};

/// The cursor of this weight; nothing: there is none yet. Invalid: it does not read.
util::Result<std::optional<Cursor>> cursor_of(const Json* cursor, int attempt, int weight) {
  if (cursor == nullptr || data::int_at(*cursor, {"weight"}) != weight ||
      data::int_at(*cursor, {"attempt"}) != attempt || !cursor->contains("sample")) {
    return std::nullopt;
  }
  KUBIST_TRY(auto sample, metrics::read_sample((*cursor)["sample"]));
  return Cursor{std::move(sample), *cursor};
}

Json cursor_json(const metrics::Sample& sample, int attempt, int weight) {
  return {{"weight", weight}, {"attempt", attempt}, {"sample", metrics::to_json(sample)}};
}

}  // namespace

std::chrono::milliseconds patience(const release::Plan& plan) {
  return std::min<std::chrono::milliseconds>(k_longest_query, plan.interval);
}

util::Result<std::shared_ptr<metrics::Provider>> ReleaseMetrics::provider(
    const engine::Node& node, const deployers::Place& place, const release::Plan& plan,
    const Json& settings, const std::stop_token& stop) {
  if (data::string_at(settings, {"provider"}, "Gateway") == "Prometheus") {
    if (data::find_path(settings, {"prometheus", "url"}) && node.selected &&
        node.selected->size() > 1) {
      return util::fail(refused(
          "ClustersNotToldApart",
          "one Prometheus at a url cannot tell the counters of several virtual clusters apart",
          "Name a Service that each of their clusters has (namespace, service)."));
    }
    KUBIST_TRY(const auto source, prometheus(node, place.client, plan, settings, stop));
    return m_gathering.get(source,
                           [&] { return metrics::make_gathering_provider(source, m_arrivals); });
  }
  // Gateways are nobody's project's: kubist itself reads their counters of the release's routes. In
  // the virtual cluster's namespace the project lists their pods.
  if (place.cluster.empty()) {
    return m_world.sites.gateways();
  }
  // Another cluster's by the credentials of the project, as that may see them.
  return m_gateways.get(cat(node.key.ns, '/', place.cluster),
                        [&] { return metrics::make_gateway_provider(place.client); });
}

util::Result<std::shared_ptr<metrics::Prometheus>> ReleaseMetrics::prometheus(
    const engine::Node& node, const std::shared_ptr<kube::Client>& client,
    const release::Plan& plan, const Json& settings, const std::stop_token& stop) {
  metrics::PrometheusOptions options;
  options.timeout = patience(plan);
  options.names = data::string_at(settings, {"names"}) == "Envoy" ? metrics::Names::envoy
                                                                  : metrics::Names::istio;
  return m_sources.prometheus(node, client, *data::find_path(settings, {"prometheus"}), options,
                              stop);
}

metrics::Subject ReleaseMetrics::subject_of(const engine::Node& node, const release::Plan& plan,
                                            const deployers::Place& place) const {
  metrics::Subject subject;
  subject.ns = place.ns;
  subject.host = traffic::full_host(plan.destination, {place.ns});
  subject.versions = {plan.stable, plan.canary};
  std::set<metrics::GatewayPods> gateways;
  for (const std::string& name : plan.routes) {
    for (const engine::NodeId id : m_graph.find(release::route_key(node, name))) {
      for (const std::string& gateway : data::strings_at(m_graph[id].spec(), {"gateways"})) {
        for (const engine::NodeId found :
             m_graph.find({node.key.group, "EntryGateway", node.key.ns, gateway})) {
          const std::string selector =
              resources::label_text(traffic::gateway_selector(*m_graph[found].object));
          for (const std::string& where :
               gateway_namespaces(m_graph, node, place.cluster, place.ns)) {
            gateways.insert({where, selector, where == place.ns ? place.client : nullptr});
          }
        }
      }
    }
  }
  subject.gateways.assign(gateways.begin(), gateways.end());
  return subject;
}

util::Result<release::Measurement> ReleaseMetrics::measure(const engine::Node& node,
                                                           const release::Snapshot& snapshot,
                                                           const Json& spec,
                                                           const std::stop_token& stop) {
  const release::Progress& progress = snapshot.before;
  if (!release::is_measured(progress)) {
    return release::Measurement{release::no_window("NotObserved", "no weight is under way"),
                                Json()};
  }
  if (!node.target.empty()) {
    return measure_on({node.target, progress.weight}, data::find_path(node.status(), {"cursor"}),
                      node, snapshot, spec, stop);
  }
  const auto targets = release::targets_of(m_graph, node);
  const auto waves = release::waves_of(snapshot.plan, {targets.begin(), targets.end()});
  std::map<std::string, release::Measurement> all;
  for (const std::string& target : targets) {
    const auto weight = release::weight_in(progress, waves.at(target));
    if (!weight) {
      continue;  // there is no canary yet
    }
    auto measured =
        measure_on({target, *weight}, data::find_path(node.status(), {"cursor", target}), node,
                   snapshot, spec, stop);
    if (!measured) {
      measured =
          release::Measurement{release::no_window(engine::alignment_of(measured.error()).reason,
                                                  measured.error().message),
                               Json()};
    }
    all.emplace(target, *std::move(measured));
  }
  return release::joined(all, progress.weight, data::find_path(node.status(), {"cursor"}));
}

util::Result<release::Measurement> ReleaseMetrics::measure_on(const Place& where, const Json* from,
                                                              const engine::Node& node,
                                                              const release::Snapshot& snapshot,
                                                              const Json& spec,
                                                              const std::stop_token& stop) {
  const int attempt = snapshot.before.attempt;
  const auto read = cursor_of(from, attempt, where.weight);
  const auto cursor = read ? *read : std::nullopt;
  const auto now = util::system_clock().now();
  if (cursor && !release::is_window_over(snapshot.plan, cursor->sample.at, now)) {
    return release::Measurement{release::no_window("WindowOpen", "the window is not over yet"),
                                cursor->json};
  }
  KUBIST_TRY(const auto place, m_world.sites.of(m_graph, node.key.ns, where.target, stop));
  static const Json none = Json::object();
  const Json* settings = data::find_path(spec, {"metrics"});
  const auto source =
      provider(node, place, snapshot.plan, settings != nullptr ? *settings : none, stop);
  if (!source) {
    KUBIST_TRY(Json why, unmeasured(source.error()));
    return release::Measurement{std::move(why), cursor ? cursor->json : Json()};
  }
  const auto sample = (*source)->sample(subject_of(node, snapshot.plan, place), stop);
  if (!sample) {
    return release::Measurement{release::no_window(sample.error().reason, sample.error().message),
                                cursor ? cursor->json : Json()};
  }
  if (!cursor) {
    return release::Measurement{read ? release::no_window("WindowBegins", "the first window begins")
                                     : release::no_window("CursorUnreadable", read.error().message),
                                cursor_json(*sample, attempt, where.weight)};
  }
  if (!release::is_window_over(snapshot.plan, cursor->sample.at, sample->at)) {
    // It shares a reading that began before.
    return release::Measurement{release::no_window("WindowOpen", "the window is not over yet"),
                                cursor->json};
  }
  Json arms = Json::object();
  for (const auto& [version, counts] : metrics::difference(cursor->sample, *sample)) {
    arms[version] = to_json(counts);
  }
  const double seconds = std::chrono::duration<double>(sample->at - cursor->sample.at).count();
  return release::Measurement{
      {{"seconds", seconds}, {"weight", where.weight}, {"arms", arms}},
      cursor_json(metrics::carry_over(cursor->sample, *sample), attempt, where.weight)};
}

}  // namespace kubist::executors
