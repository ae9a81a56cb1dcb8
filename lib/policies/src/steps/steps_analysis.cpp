#include "steps/steps_analysis.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "policy/step_fields.hpp"
#include "steps/steps_job_metric.hpp"

namespace kubist::policies {

using util::cat;
using Outcome = WindowCheck::Outcome;

namespace {

constexpr std::size_t k_most_metrics = 32;  // as of a policy Metric: queries are asked in turn
constexpr std::array<std::string_view, 3> k_analysis{"metrics", "initialDelay", "dryRun"};
constexpr std::array<std::string_view, 10> k_metric{"name",
                                                    "value",
                                                    "query",
                                                    "provider",
                                                    "thresholdRange",
                                                    "successCondition",
                                                    "failureCondition",
                                                    "count",
                                                    "failureLimit",
                                                    "inconclusiveLimit"};
/// The answer to a metric's query, in its conditions.
constexpr std::string_view k_result = "result";
constexpr std::int64_t k_no_limit = -1;

util::Result<std::optional<Expression>> read_condition(const Json& metric, std::string_view field,
                                                       bool queried, const std::string& what,
                                                       const Place& place) {
  std::string text(data::string_at(metric, {field}));
  if (text.empty()) {
    return std::nullopt;
  }
  std::vector<std::string> names = WindowValues::names();
  if (queried) {  // a query gives one number, which Argo calls the first of a list
    text = util::replace_all(text, cat(k_result, "[0]"), k_result);
    names.emplace_back(k_result);
  }
  auto read = place.mark(Expression::parse(text, names));
  if (!read) {
    return util::fail(util::with_context(read.error(), cat(what, ": ", field)));
  }
  if (!read->is_condition()) {
    return place.fail(
        cat(what, ": ", field, ": \"", util::printable(text), "\" is a number, not a condition"));
  }
  return std::optional(*std::move(read));
}

/// A limit of Argo's, of which -1 is none.
util::Result<std::optional<std::int64_t>> read_limit(const Json& given, std::string_view field,
                                                     std::int64_t fallback, const std::string& what,
                                                     const Place& place) {
  const std::int64_t limit = data::int_at(given, {field}, fallback);
  if (limit < k_no_limit) {
    return (place / field)
        .fail(cat(what, ": ", field, ": ", limit,
                  " is neither a number of windows nor -1, for none"));
  }
  return limit == k_no_limit ? std::nullopt : std::optional(limit);
}

util::Result<AnalysisMetric> read_metric(const Json& given, const std::string& where,
                                         const Place& place) {
  AnalysisMetric metric;
  metric.name = data::string_at(given, {"name"});
  const std::string what = cat(where, ": metric ", metric.name);
  KUBIST_CHECK(check_fields(given, k_metric, what, place));
  KUBIST_TRY(metric.query, query_of(given, what, place));
  const bool queried = metric.query.has_value();
  for (const auto& [field, condition] : {std::pair("successCondition", &metric.success),
                                         std::pair("failureCondition", &metric.failure)}) {
    KUBIST_TRY(*condition, read_condition(given, field, queried, what, place / field));
  }
  const bool conditions = metric.success || metric.failure;
  if (conditions == given.contains("thresholdRange")) {
    return place.fail(
        cat(what, " needs a thresholdRange, or successCondition or failureCondition"));
  }
  if (!conditions) {
    KUBIST_TRY(metric.objective, read_objective(given, place));
  }
  metric.count = data::int_at(given, {"count"}, 1);
  if (metric.count < 1) {
    return (place / "count").fail(cat(what, ": count: ", metric.count, " is less than 1"));
  }
  KUBIST_TRY(metric.failure_limit, read_limit(given, "failureLimit", 0, what, place));
  KUBIST_TRY(metric.inconclusive_limit,
             read_limit(given, "inconclusiveLimit", k_no_limit, what, place));
  return metric;
}

util::Result<> read_dry_run(const Json& given, const std::string& where, const Place& place,
                            std::vector<AnalysisMetric>& metrics) {
  const Json listed = given.value("dryRun", Json::array());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const std::string_view name = data::string_at(listed[i], {"metricName"});
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const auto& metric) { return metric.name == name; });
    if (found == metrics.end()) {
      return (place / "dryRun" / i)
          .fail(cat(where, ": dryRun: there is no metric ", name, " that is measured"));
    }
    found->dry_run = true;
  }
  return {};
}

WindowCheck check_conditions(const AnalysisMetric& metric, const WindowValues& window,
                             const Value& result) {
  const auto value_of = [&](const std::string& name) {
    return name == k_result ? result : window.get(name);
  };
  const Value success = metric.success ? metric.success->evaluate(value_of) : Value{};
  const Value failure = metric.failure ? metric.failure->evaluate(value_of) : Value{};
  for (const Value* each : {&success, &failure}) {
    if (!each->unknown.empty()) {
      return {Outcome::inconclusive, each->unknown, cat(metric.name, ": ", each->message)};
    }
  }
  const std::string given = !metric.query ? "" : cat(" (result ", result.number, ')');
  if (metric.failure && failure.number != 0) {
    return {Outcome::fail, "", cat(metric.name, ": its failureCondition holds", given)};
  }
  if (metric.success && success.number == 0) {
    return metric.failure
               ? WindowCheck{Outcome::inconclusive, "AnalysisInconclusive",
                             cat(metric.name, ": neither condition holds", given)}
               : WindowCheck{Outcome::fail, "",
                             cat(metric.name, ": its successCondition does not hold", given)};
  }
  return {Outcome::pass, "", cat(metric.name, " passes", given)};
}

}  // namespace

util::Result<std::vector<Step>> read_analysis(const Json& given, const std::string& where,
                                              const Place& place) {
  KUBIST_CHECK(check_fields(given, k_analysis, where, place));
  Step step;
  step.kind = Step::Kind::analysis;
  std::vector<Step> jobs;
  KUBIST_TRY(const auto delay, read_time(given, "initialDelay", where, place));
  step.initial_delay = delay.value_or(std::chrono::seconds(0));
  const Json* metrics = data::find_path(given, {"metrics"});
  if (metrics == nullptr || !metrics->is_array() || metrics->empty()) {
    return place.fail(cat(where, " needs metrics"));
  }
  if (metrics->size() > k_most_metrics) {
    return place.fail(cat(where, " has ", metrics->size(), " metrics, more than ", k_most_metrics));
  }
  for (std::size_t i = 0; i < metrics->size(); ++i) {
    const Json& metric = (*metrics)[i];
    const Place at = place / "metrics" / i;
    if (data::find_path(metric, {"provider", "job"}) != nullptr) {
      KUBIST_TRY(auto job, read_job_metric(metric, where, at));
      jobs.push_back(std::move(job));
      continue;
    }
    KUBIST_TRY(auto read, read_metric(metric, where, at));
    step.metrics.push_back(std::move(read));
  }
  KUBIST_CHECK(read_dry_run(given, where, place, step.metrics));
  if (step.metrics.empty()) {
    step.kind = Step::Kind::pause;
    step.duration = std::exchange(step.initial_delay, std::chrono::seconds(0));
  }
  jobs.insert(jobs.begin(), std::move(step));
  return jobs;
}

engine::Queries queries_of(const AnalysisMetric& metric) {
  if (metric.objective) {
    return queries_of(*metric.objective);
  }
  engine::Queries queries;
  if (metric.query) {
    queries.emplace(to_string(*metric.query), *metric.query);
  }
  for (const auto* condition : {&metric.success, &metric.failure}) {
    if (*condition) {
      queries.merge(workload_queries((*condition)->names()));
    }
  }
  return queries;
}

WindowCheck check_metric(const AnalysisMetric& metric, const WindowValues& window) {
  if (const Value requests = window.get("canary.requests"); requests.number <= 0) {
    return {Outcome::inconclusive, requests.unknown.empty() ? "NoTraffic" : requests.unknown,
            "the canary had no request in this window"};
  }
  if (metric.objective) {
    return check_objectives({*metric.objective}, window);
  }
  if (!metric.query) {
    return check_conditions(metric, window, {});
  }
  std::vector<WindowCheck> checks;
  for (const Value& result : window.answers(to_string(*metric.query))) {
    checks.push_back(check_conditions(metric, window, result));
  }
  return strictest(checks);
}

}  // namespace kubist::policies
