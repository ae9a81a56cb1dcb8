#include <algorithm>

#include "flagger.hpp"

namespace kubist::convert {

namespace {

constexpr int k_promoted = 100;

Json metric_parameters(const Analysis& analysis) {
  Json parameters{{"metrics", analysis.metrics}, {"threshold", analysis.threshold}};
  if (analysis.iterations > 1) {
    parameters["count"] = analysis.iterations;
  }
  return parameters;
}

void add_hooks(const Analysis& analysis, std::string_view type, Json& steps) {
  for (const Hook& hook : analysis.hooks) {
    if (hook.type == type) {
      steps.push_back(hook.step);
    }
  }
}

/// All calls at their weights. `judged`: what judges a weight above 0 where Metric does not.
Json steps_of(const Analysis& analysis, const Json& judged) {
  Json steps = Json::array();
  std::vector<int> weights = analysis.weights;
  if (weights.empty() || (analysis.has("pre-rollout") && weights.front() != 0)) {
    weights.insert(weights.begin(), 0);
  }
  for (const int weight : weights) {
    steps.push_back({{"setWeight", weight}});
    if (weight == weights.front()) {
      add_hooks(analysis, "pre-rollout", steps);
    }
    if (weight > 0 || analysis.copies) {
      add_hooks(analysis, "rollout", steps);
      if (!judged.is_null()) {
        steps.push_back(judged);
      }
    }
    add_hooks(analysis, weight == weights.back() ? "confirm-promotion" : "confirm-traffic-increase",
              steps);
  }
  return steps;
}

/// What each weight above 0 has besides calls: a window that decides, or time.
Json judge_of(const Fields& given, const Analysis& analysis, const Release& release,
              bool by_metric) {
  if (by_metric) {
    return {};
  }
  if (analysis.lost) {
    return {{"pause", Json::object()}};
  }
  if (analysis.metrics.empty()) {
    return {{"pause", {{"duration", release.spec["interval"]}}}};
  }
  if (analysis.threshold > 1) {
    given.note("threshold",
               "behind a pre-rollout hook each weight is judged by one window, and one "
               "that fails rolls back");
  }
  return {{"analysis", {{"metrics", analysis.metrics}}}};
}

}  // namespace

void add_switch(const Fields& given, const Analysis& analysis, Release& release) {
  constexpr std::int64_t k_longest = 86400;
  const auto seconds = seconds_of(release.spec["interval"].get<std::string>());
  Json parameters{{"scaleDownDelaySeconds", std::min(analysis.iterations * seconds, k_longest)}};
  if (analysis.has("confirm-rollout") || analysis.has("confirm-promotion") || analysis.lost) {
    parameters["autoPromotionEnabled"] = false;
  }
  add_policy(release, "BlueGreen", std::move(parameters));
  given.note("iterations",
             "without mirror or match the canary has no requests before it gets all: its "
             "metrics are judged then, and a bad canary is rolled back");
  for (const Hook& hook : analysis.hooks) {
    if (!hook.step.is_null()) {
      hook.given.lost(hook.type == "confirm-promotion"
                          ? "an Approval asks a person instead of its address"
                          : "the policy BlueGreen calls no webhooks: let Steps do it, with "
                            "setMirrorRoute or setHeaderRoute at setWeight: 0");
    }
  }
  if (!analysis.metrics.empty()) {
    add_policy(release, "Metric", metric_parameters(analysis));
  }
}

void add_weights(const Fields& given, const Analysis& analysis, Release& release) {
  // At 0 % without requests Metric would hold for ever.
  const bool waits = analysis.has("pre-rollout") && !analysis.copies;
  const bool by_metric = !analysis.metrics.empty() && !waits;
  if (analysis.calls()) {
    const Json judge = judge_of(given, analysis, release, by_metric);
    add_policy(release, "Steps", {{"steps", steps_of(analysis, judge)}});
  } else {
    release.spec["weights"] = analysis.weights;
    if (analysis.lost) {
      add_policy(release, "Approval", Json::object());
    } else if (analysis.metrics.empty()) {
      add_policy(release, "Timed", {{"step", release.spec["interval"]}});
    }
  }
  if (by_metric) {
    add_policy(release, "Metric", metric_parameters(analysis));
  }
  if (analysis.has("confirm-rollout")) {
    const auto first = std::find_if(analysis.weights.begin(), analysis.weights.end(),
                                    [](int weight) { return weight > 0; });
    if (first == analysis.weights.end()) {
      given.note("webhooks", "no person can be asked before 0 %, so one is before 100 %");
    }
    add_policy(release, "Approval",
               {{"before", {first == analysis.weights.end() ? k_promoted : *first}}});
  }
}

}  // namespace kubist::convert
