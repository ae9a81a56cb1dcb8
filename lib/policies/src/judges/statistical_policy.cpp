#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/policies/statistical_policy.hpp>
#include <kubist/policies/statistical_state.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/release/window.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "judges/statistical_latency.hpp"
#include "judges/window_judge.hpp"
#include "policy/release_policy.hpp"

namespace kubist::policies {

using engine::Action;
using util::cat;

namespace {

constexpr const char* k_statistical_doc =
    "Compares the failures of canary and stable window by window with tests that may be read at "
    "any time (e-processes). The release is rolled back as soon as the canary is proven to fail "
    "more often than stable and `tolerance` points. It goes on when it is proven that, with the "
    "next weight, it will spend less than `budget` points of all requests. What is neither is "
    "held, and after the hold limit is rolled back as NoTraffic, TooFew or Undecided. "
    "docs/background/statistics.md has the figures.";

Json number(double least, double most, double fallback, const char* description) {
  return {{"type", "number"},
          {"minimum", least},
          {"maximum", most},
          {"default", fallback},
          {"description", description}};
}

Json statistical_schema() {
  return {
      {"type", "object"},
      {"properties",
       {{"alpha", number(0.0001, 0.5, 0.05, "The chance that a good canary is ever aborted.")},
        {"beta", number(0.0001, 0.5, 0.05, "The chance that one which spends the budget goes on.")},
        {"tolerance", number(0, 50, 0.5, "Points that the canary may fail more than stable.")},
        {"budget", number(0.001, 50, 1, "Points of all requests that may fail more.")},
        {"minimumRequests", number(1, 1e9, 50, "Of the canary, before a step is left.")},
        {"minimumWindows", number(1, 1000, 3, "Before a step is left.")},
        {"latency",
         {{"type", "object"},
          {"description", "Judges the requests that are slower than a bound, too."},
          {"required", {"bound"}},
          {"properties",
           {{"bound", {{"type", "string"}, {"description", "A duration: 500ms."}}},
            {"tolerance", number(0, 50, 5, "Points more than stable that may be slower.")}}}}}}}};
}

/// What the clusters of a window counted; the window itself where there is only one.
std::vector<const Json*> clusters_of(const Json& window) {
  std::vector<const Json*> clusters;
  const Json* listed = data::find_path(window, {"clusters"});
  for (std::size_t i = 0; listed != nullptr && i < listed->size(); ++i) {
    clusters.push_back(&(*listed)[i]);
  }
  return clusters.empty() ? std::vector{&window} : clusters;
}

stats::Counts errors_of(const Json& arm) {
  return {arm.value("requests", 0.0), arm.value("errors", 0.0)};
}

std::vector<stats::Window> windows_of_one(const Json& window, const release::Plan& plan,
                                          const std::optional<LatencyBound>& bound) {
  static const Json none = Json::object();
  const auto arm = [&](const std::string& version) -> const Json& {
    const Json* found = data::find_path(window, {"arms", version});
    return found != nullptr ? *found : none;
  };
  std::vector<stats::Window> windows{{errors_of(arm(plan.canary)), errors_of(arm(plan.stable))}};
  if (bound) {
    windows.push_back(
        {slower_than(arm(plan.canary), *bound), slower_than(arm(plan.stable), *bound)});
  }
  return windows;
}

/// Metric by metric, each cluster by cluster.
std::vector<stats::Window> windows_of(const std::vector<const Json*>& clusters,
                                      const release::Plan& plan,
                                      const std::optional<LatencyBound>& bound) {
  std::vector<std::vector<stats::Window>> all;
  for (const Json* cluster : clusters) {
    all.push_back(windows_of_one(*cluster, plan, bound));
  }
  std::vector<stats::Window> windows;
  for (std::size_t metric = 0; metric < all.front().size(); ++metric) {
    for (const auto& cluster : all) {
      windows.push_back(cluster[metric]);
    }
  }
  return windows;
}

Action action_of(Verdict verdict) {
  return verdict == Verdict::advance    ? Action::advance
         : verdict == Verdict::rollback ? Action::rollback
                                        : Action::hold;
}

util::Result<> apply_statistical(Json& list) {
  KUBIST_TRY(const ReleaseView view, read_release(list));
  KUBIST_TRY(const release::Plan plan, release::read_plan(list["items"][0]));
  Json& config = list["functionConfig"];
  const Json window = config["metrics"].value("window", Json::object());
  const auto clusters = clusters_of(window);
  KUBIST_TRY(StatisticalParameters parameters,
             statistical_parameters(parameters_of(list), plan, clusters.size()));
  // At the first weight the tests begin again with each wave that joins.
  const auto waves = static_cast<std::size_t>(view.waves);
  parameters.alpha /= view.waves;
  parameters.steps *= waves;
  const auto attempt = data::int_at(list["items"][0], {"status", "attempt"}, 1);
  Json kept = state_of(list);
  if (data::int_at(kept, {"attempt"}) != attempt) {
    kept = {{"attempt", attempt}};
  }
  if (!is_live(list, view)) {
    return {};
  }
  if (const std::string_view why = data::string_at(window, {"reason"}); !why.empty()) {
    if (release::is_between(window)) {
      repeat_decision(list, kept, step_key(view));
    } else {  // never a guess
      decide(list, Action::hold, std::string(why),
             std::string(data::string_at(window, {"message"})));
    }
    return {};
  }
  StatisticalState state = initial_state(parameters);
  const auto counted = static_cast<std::size_t>(data::int_at(kept, {"clusters"}, 1));
  if (kept.contains("tests") && counted == clusters.size()) {
    KUBIST_TRY(state, statistical_state(kept["tests"], parameters));
  }
  std::optional<LatencyBound> bound;
  if (const Json* latency = data::find_path(parameters_of(list), {"latency"})) {
    KUBIST_TRY(bound, find_bound(*latency, clusters));
    if (bound->taken_ms == 0) {
      decide(list, Action::hold, "NoBound", describe(*bound));
      return {};
    }
    parameters.metrics.back().name = describe(*bound);
  }
  const auto windows = windows_of(clusters, plan, bound);
  const auto place = std::lower_bound(plan.weights.begin(), plan.weights.end(), view.weight);
  StatisticalLook look;
  const auto step = static_cast<std::size_t>(place - plan.weights.begin());
  look.step = std::max(state.step, step * waves + static_cast<std::size_t>(view.wave));
  look.weight = view.weight / 100.0;
  look.next_weight = next_weight(view, plan) / 100.0;
  look.at_step = std::chrono::duration_cast<std::chrono::seconds>(view.now - *view.observed_at);
  look.windows = windows;
  const StatisticalDecision decision = decide(parameters, look, state);
  const std::string_view where = data::string_at(*clusters[decision.evidence.cluster], {"name"});
  const std::string message = cat(where, where.empty() ? "" : ": ", explain(parameters, decision));
  kept["tests"] = to_json(state);
  if (clusters.size() > 1) {
    kept["clusters"] = clusters.size();
  }
  kept["last"] = {{"weight", step_key(view)}, {"reason", decision.reason}, {"message", message}};
  config["status"]["state"] = std::move(kept);
  decide(list, action_of(decision.verdict), std::string(decision.reason), message);
  return {};
}

}  // namespace

util::Result<StatisticalParameters> statistical_parameters(const Json& given,
                                                           const release::Plan& plan,
                                                           std::size_t clusters) {
  const auto points = [](const Json& value) { return value.get<double>() / 100; };
  StatisticalParameters parameters;
  parameters.alpha = given["alpha"].get<double>();
  parameters.beta = given["beta"].get<double>();
  parameters.budget = points(given["budget"]);
  parameters.minimum_requests = given["minimumRequests"].get<double>();
  parameters.minimum_windows = static_cast<int>(given["minimumWindows"].get<double>());
  parameters.steps = plan.weights.size();
  parameters.clusters = clusters;
  parameters.hold_limit = plan.hold_limit;
  parameters.bake = plan.bake;
  parameters.metrics[0].tolerance = points(given["tolerance"]);
  if (given.contains("latency")) {
    parameters.metrics[0].share = 0.5;
    StatisticalMetric slow{.name = "slow", .share = 0.5};
    slow.tolerance = given["latency"].value("tolerance", 5.0) / 100;
    parameters.metrics.push_back(slow);
  }
  KUBIST_CHECK(check_parameters(parameters));
  return parameters;
}

util::Result<std::optional<StatisticalParameters>> find_statistical(
    const Json& release, const engine::PolicyCatalog& catalog) {
  KUBIST_TRY(const release::Plan plan, release::read_plan(release));
  const std::string ns(data::string_at(release, {"metadata", "namespace"}));
  std::optional<StatisticalParameters> found;
  for (const auto& call : resources::policies_of(release)) {
    KUBIST_TRY(const auto definition, catalog.find(ns, call.name));
    if (!found && definition->name == "Statistical") {
      KUBIST_TRY(const Json parameters,
                 engine::resolve_parameters(*definition, call.parameters, Json::object()));
      KUBIST_TRY(found, statistical_parameters(parameters, plan, 1));
    }
  }
  return found;
}

Builtin statistical() {
  return make_builtin({"Statistical",
                       "Moves a canary by tests of its failures against stable's.",
                       k_statistical_doc,
                       statistical_schema(),
                       true,
                       {"CanaryRelease"},
                       {{"window", engine::WindowQuery{}}}},
                      {"StatisticalPolicy", "StatisticalCanaryReleasePolicy"}, apply_statistical);
}

}  // namespace kubist::policies
