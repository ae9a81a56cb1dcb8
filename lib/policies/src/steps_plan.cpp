#include "steps_plan.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "step_fields.hpp"
#include "steps_refused.hpp"
#include "steps_routes.hpp"
#include "steps_webhook.hpp"

namespace kubist::policies {

using util::cat;
using util::ErrorKind;
using Outcome = WindowCheck::Outcome;

namespace {

constexpr std::array<std::string_view, 6> k_steps{"setWeight",      "pause",   "analysis",
                                                  "setHeaderRoute", "webhook", "setMirrorRoute"};
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

util::Result<std::optional<Expression>> read_condition(const Json& metric, std::string_view field,
                                                       bool queried, const std::string& what) {
  std::string text(data::string_at(metric, {field}));
  if (text.empty()) {
    return std::nullopt;
  }
  std::vector<std::string> names = WindowValues::names();
  if (queried) {  // a query gives one number, which Argo calls the first of a list
    text = util::replace_all(text, cat(k_result, "[0]"), k_result);
    names.emplace_back(k_result);
  }
  auto read = Expression::parse(text, names);
  if (!read) {
    return util::fail(util::with_context(read.error(), cat(what, ": ", field)));
  }
  if (!read->is_condition()) {
    return util::fail(ErrorKind::invalid, cat(what, ": ", field, ": \"", util::printable(text),
                                              "\" is a number, not a condition"));
  }
  return std::optional(*std::move(read));
}

util::Result<AnalysisMetric> read_metric(const Json& given, const std::string& where) {
  AnalysisMetric metric;
  metric.name = data::string_at(given, {"name"});
  const std::string what = cat(where, ": metric ", metric.name);
  KUBIST_CHECK(check_fields(given, k_metric, what));
  KUBIST_TRY(metric.query, query_of(given, what));
  const bool queried = !metric.query.empty();
  KUBIST_TRY(metric.success, read_condition(given, "successCondition", queried, what));
  KUBIST_TRY(metric.failure, read_condition(given, "failureCondition", queried, what));
  const bool conditions = metric.success || metric.failure;
  if (conditions == given.contains("thresholdRange")) {
    return util::fail(ErrorKind::invalid, cat(what,
                                              " needs a thresholdRange, or successCondition or "
                                              "failureCondition"));
  }
  if (!conditions) {
    KUBIST_TRY(auto objectives, read_objectives(Json::array({given})));
    metric.objective = std::move(objectives.front());
  }
  metric.count = data::int_at(given, {"count"}, 1);
  metric.failure_limit = data::int_at(given, {"failureLimit"});
  if (given.contains("inconclusiveLimit")) {
    metric.inconclusive_limit = data::int_at(given, {"inconclusiveLimit"});
  }
  return metric;
}

util::Result<Step> read_analysis(const Json& given, const std::string& where) {
  KUBIST_CHECK(check_fields(given, k_analysis, where));
  Step step;
  step.kind = Step::Kind::analysis;
  KUBIST_TRY(const auto delay, read_time(given, "initialDelay", where));
  step.initial_delay = delay.value_or(std::chrono::seconds(0));
  const Json* metrics = data::find_path(given, {"metrics"});
  if (metrics == nullptr || !metrics->is_array() || metrics->empty()) {
    return util::fail(ErrorKind::invalid, cat(where, " needs metrics"));
  }
  for (const Json& metric : *metrics) {
    KUBIST_TRY(auto read, read_metric(metric, where));
    step.metrics.push_back(std::move(read));
  }
  for (const Json& dry : given.value("dryRun", Json::array())) {
    const std::string_view name = data::string_at(dry, {"metricName"});
    const auto found =
        std::find_if(step.metrics.begin(), step.metrics.end(),
                     [&](const AnalysisMetric& metric) { return metric.name == name; });
    if (found == step.metrics.end()) {
      return util::fail(ErrorKind::invalid, cat(where, ": dryRun: there is no metric ", name));
    }
    found->dry_run = true;
  }
  return step;
}

util::Result<Step> read_pause(const Json& given, const std::string& where) {
  static constexpr std::array<std::string_view, 1> k_pause{"duration"};
  KUBIST_CHECK(check_fields(given, k_pause, where));
  Step step;
  KUBIST_TRY(step.duration, read_time(given, "duration", where));
  return step;
}

util::Result<Step> read_step(const std::string& kind, const Json& value, const std::string& where) {
  return kind == "pause"      ? read_pause(value, where)
         : kind == "analysis" ? read_analysis(value, where)
         : kind == "webhook"  ? read_webhook(value, where)
                              : read_route(kind, value, where);
}

util::Result<> add_weight(const Json& given, const std::string& where, std::vector<Stage>& stages) {
  const int weight = given.is_number_integer() ? given.get<int>() : -1;
  if (weight < 0 || weight > 100 || (!stages.empty() && weight <= stages.back().weight)) {
    return util::fail(
        ErrorKind::invalid,
        cat(where, ": ", given.dump(), " is out of order: percents that rise, from 0 to 100"));
  }
  stages.push_back({weight, {}});
  return {};
}

/// What it asks besides the window.
std::vector<std::string> queries_of(const AnalysisMetric& metric) {
  if (metric.objective) {
    return queries_of(*metric.objective);
  }
  std::vector<std::string> queries;
  if (!metric.query.empty()) {
    queries.push_back(metric.query);
  }
  for (const auto* condition : {&metric.success, &metric.failure}) {
    if (*condition) {
      const auto own = workload_queries((*condition)->names());
      queries.insert(queries.end(), own.begin(), own.end());
    }
  }
  return queries;
}

}  // namespace

util::Result<std::vector<Stage>> read_steps(const Json& steps) {
  std::vector<Stage> stages;
  std::vector<Step> before;  // routes that begin with the first weight
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Json& given = steps[i];
    KUBIST_CHECK(check_refused(given, cat("steps[", i, ']')));
    KUBIST_CHECK(check_fields(given, k_steps, cat("steps[", i, ']')));
    if (given.size() != 1) {
      return util::fail(
          ErrorKind::invalid,
          cat("steps[", i, "] must be one of ",
              util::join(std::vector<std::string>(k_steps.begin(), k_steps.end()), ", ")));
    }
    const std::string kind = given.begin().key();
    const Json& value = given.begin().value();
    const std::string where = cat("steps[", i, "].", kind);
    if (kind == "setWeight") {
      KUBIST_CHECK(add_weight(value, where, stages));
      stages.back().steps.swap(before);
      continue;
    }
    if (stages.empty() && is_route(kind)) {
      KUBIST_TRY(auto step, read_route(kind, value, where));
      before.push_back(std::move(step));
      continue;
    }
    if (stages.empty() || stages.back().weight == 100) {
      return util::fail(ErrorKind::invalid,
                        cat(where, stages.empty() ? " stands before the first setWeight: a policy "
                                                    "Approval or TimedWindow gates the beginning"
                                                  : " stands behind 100 %: spec.bake is the time "
                                                    "there"));
    }
    KUBIST_TRY(auto step, read_step(kind, value, where));
    stages.back().steps.push_back(std::move(step));
  }
  if (stages.empty()) {
    return util::fail(ErrorKind::invalid, "steps: there is no setWeight");
  }
  name_calls(stages);
  return stages;
}

namespace {

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
  const std::string given = metric.query.empty() ? "" : cat(" (result ", result.number, ')');
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

std::vector<std::string> queries_of_steps(const Json& steps) {
  std::vector<std::string> all;
  const auto stages = read_steps(steps);
  for (const Stage& stage : stages ? *stages : std::vector<Stage>()) {
    for (const Step& step : stage.steps) {
      if (!step.query.empty()) {
        all.push_back(step.query);
      }
      for (const AnalysisMetric& metric : step.metrics) {
        const auto queries = queries_of(metric);
        all.insert(all.end(), queries.begin(), queries.end());
      }
    }
  }
  return all;
}

WindowCheck check_metric(const AnalysisMetric& metric, const WindowValues& window) {
  if (const Value requests = window.get("canary.requests"); requests.number <= 0) {
    return {Outcome::inconclusive, requests.unknown.empty() ? "NoTraffic" : requests.unknown,
            "the canary had no request in this window"};
  }
  if (metric.objective) {
    return check_objectives({*metric.objective}, window);
  }
  if (metric.query.empty()) {
    return check_conditions(metric, window, {});
  }
  std::vector<WindowCheck> checks;
  for (const Value& result : window.answers(metric.query)) {
    checks.push_back(check_conditions(metric, window, result));
  }
  return strictest(checks);
}

Json steps_schema() {
  return {
      {"type", "object"},
      {"required", {"steps"}},
      {"properties",
       {{"steps",
         {{"type", "array"},
          {"minItems", 1},
          {"maxItems", 100},
          {"description",
           "In order: {setWeight: PERCENT}, {pause: {duration: 10m}}, {pause: {}} until a "
           "person goes on, {analysis: {metrics, initialDelay, dryRun}}, {setHeaderRoute: {name, "
           "match: [{headerName, headerValue: {exact: VALUE}}]}}, {webhook: {name, url, timeout, "
           "metadata, retries, type}}."},
          {"items", {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}}}}}};
}

}  // namespace kubist::policies
