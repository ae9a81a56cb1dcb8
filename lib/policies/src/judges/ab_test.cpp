#include <kubist/data/pointer.hpp>
#include <kubist/policies/ab_test.hpp>
#include <kubist/release/experiment_decision.hpp>
#include <kubist/release/experiment_observation.hpp>
#include <kubist/util/duration.hpp>

#include "policy/function_policy.hpp"

namespace kubist::policies {

namespace {

constexpr const char* k_ab_test_doc =
    "Judges an Experiment by spec.test and spec.assignment: ends it with the variant that is "
    "proven "
    "to be better, and else says what is missing. It is the policy of an Experiment that names "
    "none.";

Json observed(const Json& list) {
  for (const Json& item : list["items"]) {
    if (data::string_at(item, {"kind"}) == "ExperimentObservation") {
      return item;
    }
  }
  return Json::object();
}

util::Result<> apply_ab_test(Json& list) {
  KUBIST_TRY(const experiment::Plan plan, experiment::read_plan(resource_of(list)));
  const Json observation = observed(list);
  const auto totals = experiment::read_observation(observation, plan);
  if (!totals) {
    set_outcome(list, "NotRead",
                std::string(data::string_at(observation, {"message"}, "no goal is read now")));
    return {};
  }
  KUBIST_TRY(const auto at, util::parse_time(data::string_at(observation, {"at"})));
  const engine::Decision decision = experiment::decide(plan, *totals, at);
  set_outcome(list, decision.reason, decision.message);
  list["functionConfig"]["status"]["decision"] = engine::to_json(decision);
  return {};
}

}  // namespace

Builtin ab_test() {
  return make_builtin({"ABTest",
                       "Judges an Experiment by the test and the assignment of its spec.",
                       k_ab_test_doc,
                       {{"type", "object"}, {"properties", Json::object()}},
                       false,
                       {"Experiment"}},
                      {"ABTestPolicy", "ExperimentPolicy"}, apply_ab_test);
}

}  // namespace kubist::policies
