#include <kubist/data/pointer.hpp>
#include <kubist/policies/metric.hpp>
#include <kubist/util/text.hpp>

#include "judges/metric_objective.hpp"
#include "judges/window_judge.hpp"

namespace kubist::policies {

using Outcome = WindowCheck::Outcome;

namespace {

constexpr const char* k_metric_doc =
    "Each metric is a number of the window that must stay in its thresholdRange {min, max}. Two "
    "are named as Flagger's: request-success-rate, in percent of the canary's requests, and "
    "request-duration, its p99 in milliseconds. Any other has a `value` or a `query`. A value is "
    "an expression as of the policy Expression without a comparison; a query is PromQL that gives "
    "one number. `count` windows in a row in which all are in range let the release go on. More "
    "than `failureLimit` (threshold - 1) roll it back. What cannot be told holds with that "
    "reason.\n\n`metric`, as Vamp wrote it, is an expression for each version, of which the canary "
    "must not have less than stable. response_code_2xx and the like are known there as successes, "
    "errors and requests.";

Json metric_schema() {
  return judge_schema(
      {{"metrics", objectives_schema()},
       {"metric",
        {{"type", "string"},
         {"maxLength", 4096},
         {"description",
          "Vamp's: an expression for each version, such as (requests - errors) / "
          "requests; a window passes where the canary's is not below stable's."}}}});
}

util::Result<std::vector<Objective>> read_all(const Json& parameters, const Place& place = {}) {
  std::vector<Objective> objectives;
  for (const Json& metric : data::array_at(parameters, {"metrics"})) {
    KUBIST_TRY(auto objective, read_objective(metric, place / "metrics" / objectives.size()));
    objectives.push_back(std::move(objective));
  }
  if (const std::string_view vamps = data::string_at(parameters, {"metric"}); !vamps.empty()) {
    KUBIST_TRY(auto objective, compare_versions(vamps, place / "metric"));
    objectives.push_back(std::move(objective));
  }
  if (objectives.empty()) {
    return place.fail("parameters: missing required field \"metrics\", or \"metric\"");
  }
  return objectives;
}

util::Result<> apply_metric(Json& list) {
  KUBIST_TRY(const auto objectives, read_all(parameters_of(list)));
  return judge_windows(
      list, [&](const WindowValues& window) { return check_objectives(objectives, window); });
}

}  // namespace

Builtin metric() {
  BuiltinText text{"Metric",
                   "Moves a canary while numbers of its windows stay in their ranges.",
                   k_metric_doc,
                   metric_schema(),
                   true,
                   {"CanaryRelease"},
                   {{"window", engine::WindowQuery{}}}};
  text.queries = [](const Json& parameters) {
    engine::Queries queries;
    const auto objectives = read_all(parameters);
    for (const Objective& each : objectives ? *objectives : std::vector<Objective>()) {
      queries.merge(queries_of(each));
    }
    return queries;
  };
  text.check = [](const Json& parameters, const data::PositionLookup& lookup) -> util::Result<> {
    KUBIST_CHECK(read_all(parameters, Place(lookup)));
    return check_limits(parameters, Place(lookup));
  };
  return make_builtin(
      std::move(text),
      {"MetricPolicy", "MetricCanaryReleasePolicy", "MetricBasedGatewayCanaryReleasingPolicy",
       "MetricBasedVirtualServiceCanaryReleasingPolicy"},
      apply_metric);
}

}  // namespace kubist::policies
