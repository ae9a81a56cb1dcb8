#include <kubist/policies/timed.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "policy/release_policy.hpp"

namespace kubist::policies {

using engine::Action;
using util::cat;

namespace {

constexpr const char* k_timed_doc =
    "Each weight is live for the time `step`, then the next one is set. While no pod of the "
    "canary\n"
    "is ready it holds. Nothing is judged: it is for where nothing can be measured.";

Json timed_schema() {
  return {{"type", "object"},
          {"properties",
           {{"step",
             {{"type", "string"},
              {"default", "1m"},
              {"description", "How long each weight is live before the next."}}}}}};
}

util::Result<> apply_timed(Json& list) {
  KUBIST_TRY(const ReleaseView view, read_release(list));
  KUBIST_TRY(const auto step, duration_parameter(list, "step"));
  if (!view.target_ready) {
    decide(list, Action::hold, "TargetNotReady", view.target_message);
    return {};
  }
  if (!is_live(list, view)) {
    return {};
  }
  const auto left = step - (view.now - *view.observed_at);
  if (left.count() > 0) {
    set_requeue(list, std::chrono::ceil<std::chrono::seconds>(left));
    // Without the time left: what a run says stays the same until something happens.
    decide(list, Action::hold, "StepRunning",
           cat(view.weight, " % is live for ", util::go_duration(step)));
    return {};
  }
  decide(list, Action::advance, "StepOver",
         cat(view.weight, " % was live for ", util::go_duration(step)));
  return {};
}

}  // namespace

Builtin timed() {
  return make_builtin({"Timed",
                       "Gives a canary its next weight after a time.",
                       k_timed_doc,
                       timed_schema(),
                       true,
                       {"CanaryRelease"}},
                      {"TimedCanaryReleasePolicy", "TimedCanaryReleasingPolicy"}, apply_timed);
}

}  // namespace kubist::policies
