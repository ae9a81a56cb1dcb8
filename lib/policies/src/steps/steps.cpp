#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/policies/steps.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "steps/steps_plan.hpp"
#include "steps/steps_routes.hpp"
#include "steps/steps_walk.hpp"

namespace kubist::policies {

using engine::Action;
using std::chrono::seconds;
using util::cat;

namespace {

constexpr const char* k_steps_doc =
    "Steps in order, as Argo Rollouts writes them. `setWeight` is a weight of the release. `pause` "
    "waits for its duration; without one it waits for `kubist canary resume` or an Approval of the "
    "next weight.\n\n`analysis` judges each window by its metrics, `count` windows each. A metric "
    "has a thresholdRange (see Metric), or successCondition and failureCondition (see Expression). "
    "More than failureLimit windows that fail roll the release back. More than inconclusiveLimit "
    "windows that cannot be told pause it. `dryRun` metrics decide nothing. Windows are as long as "
    "the release's interval.\n\n`webhook` posts to a URL as Flagger does, which "
    "spec.allow.webhooks must allow. `job` runs an image in a pod of the project's namespace, "
    "which spec.allow.jobs must allow. An answer 2xx and exit code 0 let the release go on. What "
    "fails more often than `retries` rolls it back. Other steps and fields are refused.";

Json pace(const std::vector<Stage>& stages, const release::Plan& plan) {
  Json weights = Json::array();
  seconds longest{0};
  for (const Stage& stage : stages) {
    weights.push_back(stage.weight);
    seconds pauses{0};
    for (const Step& step : stage.steps) {
      pauses += step.duration.value_or(seconds(0)) + step.initial_delay;
    }
    longest = std::max(longest, pauses);
  }
  // A pause is no lack of a decision.
  return {{"weights", weights}, {"holdLimit", util::go_duration(plan.hold_limit + longest)}};
}

/// How far it was at this weight when it was last live there.
std::size_t place_in(const Json& list, const ReleaseView& view) {
  const Json kept = state_of(list);
  const bool is_here =
      data::int_at(kept, {"weight"}) == step_key(view) &&
      data::int_at(kept, {"attempt"}) == data::int_at(list["items"][0], {"status", "attempt"}, 1);
  return is_here ? static_cast<std::size_t>(data::count_at(kept, {"step"})) : 0;
}

/// Header routes come to those that the release has by itself, a mirror route in place of its own.
void set_routes(Json& list, const std::vector<Stage>& stages, int weight, std::size_t place) {
  const std::string match = match_at(stages, weight, place);
  Json& spec = resource_of(list)["spec"];
  if (!match.empty()) {
    const std::string own(data::string_at(spec, {"match"}));
    spec["match"] = own.empty() ? match : cat(own, " or ", match);
  }
  if (Json mirror = mirror_at(stages, weight, place); !mirror.is_null()) {
    spec["mirror"] = std::move(mirror);
  }
}

bool have_jobs(const Json& parameters) {
  const auto stages = read_steps(parameters["steps"]);
  return stages && std::any_of(stages->begin(), stages->end(), [](const Stage& stage) {
           return std::any_of(stage.steps.begin(), stage.steps.end(),
                              [](const Step& step) { return step.kind == Step::Kind::job; });
         });
}

util::Result<> apply_steps(Json& list) {
  KUBIST_TRY(const ReleaseView view, read_release(list));
  KUBIST_TRY(const auto stages, read_steps(parameters_of(list)["steps"]));
  KUBIST_TRY(const release::Plan before, release::read_plan(list["items"][0]));
  resource_of(list)["spec"].update(pace(stages, before));
  KUBIST_TRY(const release::Plan plan, release::read_plan(list["items"][0]));
  if (is_over(view) || !is_live(list, view)) {
    set_routes(list, stages, view.weight, place_in(list, view));
    return {};
  }
  const auto stage = std::find_if(stages.begin(), stages.end(),
                                  [&](const Stage& each) { return each.weight == view.weight; });
  if (stage == stages.end()) {
    decide(list, Action::advance, "NoSuchWeight", cat("no step sets ", view.weight, " %"));
    return {};
  }
  set_routes(list, stages, view.weight, walk_steps(list, view, plan, *stage));
  return {};
}

}  // namespace

Builtin steps() {
  BuiltinText text{
      "Steps",     "Leads a canary through weights, pauses, analyses, webhooks and jobs in order.",
      k_steps_doc, steps_schema(),
      true,        {"CanaryRelease"}};
  text.queries = [](const Json& parameters) { return queries_of_steps(parameters["steps"]); };
  text.check = [](const Json& parameters, const data::PositionLookup& lookup) -> util::Result<> {
    KUBIST_CHECK(read_steps(parameters["steps"], Place(lookup) / "steps"));
    return {};
  };
  text.calls_jobs = have_jobs;
  text.wants_approvals = true;
  return make_builtin(std::move(text), {"StepsPolicy"}, apply_steps);
}

}  // namespace kubist::policies
