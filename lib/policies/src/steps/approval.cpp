#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/policies/approval.hpp>
#include <kubist/release/plan.hpp>
#include <kubist/util/text.hpp>

#include "steps/approvals.hpp"

namespace kubist::policies {

using engine::Action;
using util::cat;

namespace {

constexpr const char* k_approval_doc =
    "Before each weight of `before` (every step where it is empty) the release waits for an "
    "Approval\n"
    "of this release, target and weight: `kubist canary approve NAME`. One of another target, of "
    "another\n"
    "attempt, or past its expiresAt does not count. As the only policy it goes on as soon as it is "
    "approved; after another policy it is the gate.";

Json approval_schema() {
  return {{"type", "object"},
          {"properties",
           {{"before",
             {{"type", "array"},
              {"description",
               "The weights in percent that are neither reached nor passed without an approval; "
               "every step where it is empty."},
              {"items", {{"type", "integer"}, {"minimum", 1}, {"maximum", 100}}}}}}}};
}

/// The step that is to come: the one that a policy before this one asks for, or the plan's.
int next_step(const Json& list, const ReleaseView& view, const release::Plan& plan) {
  const Json* decision = data::find_path(list, {"functionConfig", "decision"});
  const bool named = decision != nullptr && data::string_at(*decision, {"action"}) == "advance" &&
                     decision->contains("weight");
  return named ? static_cast<int>(data::int_at(*decision, {"weight"})) : next_weight(view, plan);
}

bool is_gated(const Json& list, int from, int to) {
  const Json* before = data::find_path(parameters_of(list), {"before"});
  if (before == nullptr || before->empty()) {
    return to > from;
  }
  return std::any_of(before->begin(), before->end(), [&](const Json& weight) {
    return from < weight.get<int>() && weight.get<int>() <= to;
  });
}

util::Result<> apply_approval(Json& list) {
  KUBIST_TRY(const ReleaseView view, read_release(list));
  KUBIST_TRY(const release::Plan plan, release::read_plan(list["items"][0]));
  if (is_over(view) || view.weight >= 100) {
    set_outcome(list, "NotGated", "no step is to come");
    return {};
  }
  if (view.moved && !is_live(list, view)) {
    return {};
  }
  const int next = next_step(list, view, plan);
  if (!is_gated(list, view.weight, next)) {
    decide(list, Action::advance, "NotGated", cat(next, " % needs no approval"));
    return {};
  }
  const Consent consent = consent_to(list, view, next);
  decide(list, consent.given ? Action::advance : Action::hold,
         consent.given ? "Approved" : "ApprovalNeeded", consent.message);
  if (consent.given) {  // to this weight, whatever later policies would skip
    list["functionConfig"]["status"]["decision"]["weight"] = next;
  }
  return {};
}

}  // namespace

Builtin approval() {
  BuiltinText text{"Approval",     "Lets a canary wait for a person's approval.",
                   k_approval_doc, approval_schema(),
                   true,           {"CanaryRelease"}};
  text.wants_approvals = true;
  return make_builtin(std::move(text), {"ApprovalPolicy"}, apply_approval);
}

}  // namespace kubist::policies
