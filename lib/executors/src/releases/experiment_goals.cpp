#include "releases/experiment_goals.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/metrics/json_source.hpp>
#include <kubist/metrics/prometheus.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using experiment::Goal;
using experiment::Totals;
using experiment::Variant;
using util::cat;

namespace {

constexpr std::chrono::milliseconds k_longest_reading{10'000};

/// Names and versions are plain words by their schema: nothing in them needs to be escaped.
std::string filled(std::string_view text, const Variant& variant) {
  return util::replace_all(util::replace_all(std::string(text), "$variant", variant.name),
                           "$version", variant.version);
}

class GoalReader {
 public:
  GoalReader(const engine::Node& node, MetricSources& sources, const Goal& goal,
             const Variant& variant, std::shared_ptr<kube::Client> client,
             std::chrono::milliseconds timeout, std::stop_token stop)
      : m_node(node),
        m_sources(sources),
        m_goal(goal),
        m_variant(variant),
        m_client(std::move(client)),
        m_timeout(timeout),
        m_stop(std::move(stop)) {}

  metrics::Expected<Totals> run() {
    std::vector<double> values;
    for (const std::string_view field : experiment::fields_of(m_goal.kind)) {
      const auto number = value(field);
      if (!number) {
        return tl::unexpected<metrics::Answer>(number.error());
      }
      values.push_back(*number);
    }
    const auto totals = experiment::read_totals(m_goal.kind, values);
    if (!totals) {
      return metrics::inconclusive(totals.error().reason, totals.error().message);
    }
    return *totals;
  }

 private:
  metrics::Expected<double> value(std::string_view field) {
    const std::string expression = filled(data::string_at(m_goal.source, {field}), m_variant);
    const Json* prometheus = data::find_path(m_goal.source, {"source", "prometheus"});
    return prometheus != nullptr
               ? by_prometheus(*prometheus, expression)
               : by_json(*data::find_path(m_goal.source, {"source", "json"}), expression);
  }

  metrics::Expected<double> by_prometheus(Json source, const std::string& expression) {
    metrics::PrometheusOptions options;
    options.timeout = m_timeout;
    if (source.contains("service")) {
      source["service"] = service_of(source);
    }
    const auto prometheus = m_sources.prometheus(m_node, m_client, source, options, m_stop);
    if (!prometheus) {
      const engine::Alignment why = engine::alignment_of(prometheus.error());
      return metrics::inconclusive(why.reason, why.message);
    }
    return (*prometheus)->query(expression, m_stop);
  }

  metrics::Expected<double> by_json(const Json& source, const std::string& expression) {
    return metrics::read_json_service(
        *m_client,
        {std::string(data::string_at(source, {"namespace"})), service_of(source),
         filled(data::string_at(source, {"path"}), m_variant), expression, m_timeout},
        m_stop);
  }

  std::string service_of(const Json& source) const {
    return filled(data::string_at(source, {"service"}), m_variant);
  }

  const engine::Node& m_node;
  MetricSources& m_sources;
  const Goal& m_goal;
  const Variant& m_variant;
  const std::shared_ptr<kube::Client> m_client;
  const std::chrono::milliseconds m_timeout;
  const std::stop_token m_stop;
};

}  // namespace

experiment::Reading read_goals(MetricSources& sources, const engine::Node& node,
                               const experiment::Plan& plan,
                               const std::shared_ptr<kube::Client>& client,
                               const std::stop_token& stop) {
  const auto timeout = std::min<std::chrono::milliseconds>(k_longest_reading, plan.interval);
  experiment::Reading reading;
  for (const Goal& goal : plan.goals) {
    auto& row = reading.counters.emplace_back();
    for (const Variant& variant : plan.variants) {
      const auto totals = GoalReader(node, sources, goal, variant, client, timeout, stop).run();
      if (!totals) {
        return {{},
                totals.error().reason,
                cat("goal ", goal.name, " of ", variant.name, ": ", totals.error().message)};
      }
      row.push_back(*totals);
    }
  }
  return reading;
}

}  // namespace kubist::executors
