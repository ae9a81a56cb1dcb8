#include <kubist/data/pointer.hpp>
#include <kubist/policies/health.hpp>
#include <kubist/util/text.hpp>

#include "policy/release_policy.hpp"

namespace kubist::policies {

using engine::Action;
using util::cat;

namespace {

constexpr const char* k_health_doc =
    "Counts the checks in a row at which no pod of the canary is ready: at failureThreshold the "
    "release is rolled back. Otherwise each weight is live for the time `step`, then the next is "
    "set.";

Json health_schema() {
  return {{"type", "object"},
          {"properties",
           {{"failureThreshold",
             {{"type", "integer"},
              {"minimum", 1},
              {"default", 3},
              {"description", "Checks in a row without a ready pod before it is rolled back."}}},
            {"step",
             {{"type", "string"},
              {"default", "1m"},
              {"description", "How long each weight is live before the next."}}}}}};
}

util::Result<> apply_health(Json& list) {
  KUBIST_TRY(const ReleaseView view, read_release(list));
  KUBIST_TRY(const auto step, duration_parameter(list, "step"));
  Json& config = list["functionConfig"];
  const auto limit = data::int_at(parameters_of(list), {"failureThreshold"}, 3);
  const std::int64_t failed =
      view.target_ready ? 0 : data::count_at(config, {"state", "failed"}) + 1;
  config["status"]["state"] = failed == 0 ? Json() : Json{{"failed", std::min(failed, limit)}};
  if (failed >= limit) {
    decide(list, Action::rollback, "Unhealthy",
           cat(view.target_message, ", for ", limit, " evaluations"));
  } else if (failed > 0) {
    decide(list, Action::hold, "TargetNotReady", view.target_message);
  } else if (is_live(list, view)) {
    const bool over = view.now - *view.observed_at >= step;
    decide(list, over ? Action::advance : Action::hold, over ? "Healthy" : "StepRunning",
           "the canary's pods are ready");
  }
  return {};
}

}  // namespace

Builtin health() {
  return make_builtin({"Health",
                       "Rolls back a canary whose pods are not ready.",
                       k_health_doc,
                       health_schema(),
                       true,
                       {"CanaryRelease"}},
                      {"HealthBasedCanaryReleasePolicy", "HealthBasedGatewayCanaryReleasingPolicy",
                       "HealthBasedVirtualServiceCanaryReleasingPolicy"},
                      apply_health);
}

}  // namespace kubist::policies
