#include <kubist/data/pointer.hpp>
#include <kubist/release/routes.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "keep/sites.hpp"
#include "keep/traffic_place.hpp"
#include "releases/release_metrics.hpp"

// What policies ask of Prometheus by queries of their own.
namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

/// The beginning of a query, enough to know it by.
std::string shown(const std::string& expression) {
  constexpr std::size_t k_shown_query = 120;
  const std::string text = util::printable(expression);
  return text.size() <= k_shown_query ? text : text.substr(0, k_shown_query) + "...";
}

util::Result<std::string> expression_of(const OwnQuery& query, const engine::Node& node,
                                        const release::Snapshot& snapshot, const std::string& ns) {
  std::map<std::string, std::string> values{
      {"namespace", ns},
      {"release", node.key.name},
      {"destination", snapshot.plan.destination},
      {"stable", snapshot.plan.stable},
      {"canary", snapshot.plan.canary},
      {"weight", cat(snapshot.before.weight)},
      {"interval", util::go_duration(snapshot.plan.interval)}};
  for (const auto& [name, value] : query.parameters.items()) {
    if (value.is_string()) {
      values[name] = value.get<std::string>();
    } else if (value.is_number()) {
      values[name] = value.dump();
    }
  }
  return metrics::fill_template(query.query.text, values);
}

}  // namespace

util::Result<Json> ReleaseMetrics::answer(const engine::Node& node,
                                          const release::Snapshot& snapshot, const OwnQuery& query,
                                          const std::stop_token& stop) {
  if (!release::is_measured(snapshot.before)) {
    return Json{{"reason", "NotObserved"}, {"message", "no weight is under way"}};
  }
  if (!node.target.empty()) {
    return answer_on(node.target, node, snapshot, query, stop);
  }
  Json clusters = Json::array();
  for (const std::string& target : release::targets_of(m_graph, node)) {
    KUBIST_TRY(Json own, answer_on(target, node, snapshot, query, stop));
    if (own.contains("reason")) {
      own["message"] = cat(target, ": ", data::string_at(own, {"message"}));
      return own;
    }
    clusters.push_back({{"name", target}, {"value", own["value"]}});
  }
  return Json{{"clusters", std::move(clusters)}};
}

util::Result<Json> ReleaseMetrics::answer_on(const std::string& target, const engine::Node& node,
                                             const release::Snapshot& snapshot,
                                             const OwnQuery& query, const std::stop_token& stop) {
  const Json* settings = data::find_path(node.spec(), {"metrics"});
  if (settings == nullptr || !settings->contains("prometheus")) {
    return util::fail(refused("NoMetricsSource",
                              cat("a policy of ", engine::to_string(node),
                                  " has a query, but the release names no Prometheus"),
                              "Set spec.metrics.prometheus."));
  }
  KUBIST_TRY(const auto place, m_world.sites.of(m_graph, node.key.ns, target, stop));
  KUBIST_TRY(const std::string expression, expression_of(query, node, snapshot, place.ns));
  const auto source = prometheus(node, place.client, snapshot.plan, *settings, stop);
  if (!source) {
    return unmeasured(source.error());
  }
  KUBIST_TRY(const metrics::Expected<double> value,
             m_answers.get({*source, expression}, [&]() -> util::Result<metrics::Expected<double>> {
               return (*source)->query(expression, stop);
             }));
  if (!value) {
    return Json{{"reason", value.error().reason},
                {"message", cat("query ", shown(expression), ": ", value.error().message)}};
  }
  return Json{{"value", *value}};
}

}  // namespace kubist::executors
