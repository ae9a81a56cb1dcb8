#include <kubist/data/pointer.hpp>
#include <kubist/policies/blue_green.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "steps/approvals.hpp"

namespace kubist::policies {

using engine::Action;
using util::cat;

namespace {

constexpr int k_all = 100;
constexpr const char* k_blue_green_doc =
    "Once the pods of the new version are ready, and have been for autoPromotionSeconds, all the "
    "traffic\n"
    "goes there in one step; with `autoPromotionEnabled: false` after an Approval of 100 %. For "
    "scaleDownDelaySeconds it can still be rolled back. It sets spec.weights and spec.bake: put it "
    "first, "
    "and\n"
    "policies that judge behind it.";

Json blue_green_schema() {
  const auto seconds = [](int initial, const char* description) {
    return Json{{"type", "integer"},
                {"minimum", 0},
                {"maximum", 86400},
                {"default", initial},
                {"description", description}};
  };
  return {{"type", "object"},
          {"properties",
           {{"autoPromotionEnabled",
             {{"type", "boolean"},
              {"default", true},
              {"description", "false: all the traffic only after an Approval of 100 %."}}},
            {"autoPromotionSeconds",
             seconds(0, "How long its pods are ready before it gets the traffic.")},
            {"scaleDownDelaySeconds",
             seconds(30, "How long it can still be rolled back, with the abort armed.")}}}};
}

/// Since when the pods of this target are ready, as far as it was seen.
util::Result<> wait(Json& list, const ReleaseView& view) {
  Json& config = list["functionConfig"];
  if (!view.target_ready) {
    config["status"]["state"] = Json();
    decide(list, Action::hold, "TargetNotReady", view.target_message);
    return {};
  }
  const std::chrono::seconds delay(data::int_at(parameters_of(list), {"autoPromotionSeconds"}));
  const Json before = state_of(list);
  auto since = util::parse_time(data::string_at(before, {"readySince"}));
  if (!since || data::string_at(before, {"target"}) != view.target) {
    since = view.now;
  }
  config["status"]["state"] = {{"target", view.target}, {"readySince", util::format_time(*since)}};
  if (const auto left = delay - (view.now - *since); left.count() > 0) {
    set_requeue(list, std::chrono::ceil<std::chrono::seconds>(left));
    decide(list, Action::hold, "AutoPromotion",
           cat("its pods must have been ready for ", util::go_duration(delay)));
    return {};
  }
  if (data::bool_at(parameters_of(list), {"autoPromotionEnabled"}, true)) {
    decide(list, Action::advance, "TargetReady", "its pods are ready");
    return {};
  }
  const Consent consent = consent_to(list, view, k_all);
  decide(list, consent.given ? Action::advance : Action::hold,
         consent.given ? "Approved" : "ApprovalNeeded", consent.message);
  return {};
}

util::Result<> apply_blue_green(Json& list) {
  KUBIST_TRY(const ReleaseView view, read_release(list));
  Json& spec = resource_of(list)["spec"];
  spec["weights"] = Json::array({k_all});
  spec["bake"] = cat(data::int_at(parameters_of(list), {"scaleDownDelaySeconds"}), 's');
  if (!view.moved && !is_over(view)) {
    return wait(list, view);
  }
  set_outcome(list, "Promoted", "all the traffic in one step");
  return {};
}

}  // namespace

Builtin blue_green() {
  BuiltinText text{"BlueGreen",
                   "Gives a new version all the traffic in one step.",
                   k_blue_green_doc,
                   blue_green_schema(),
                   true,
                   {"CanaryRelease"}};
  text.wants_approvals = true;
  return make_builtin(std::move(text), {"blue-green", "BlueGreenPolicy"}, apply_blue_green);
}

}  // namespace kubist::policies
