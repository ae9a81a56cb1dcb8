#include "judges/window_judge.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/release/window.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

using engine::Action;
using util::cat;
using Outcome = WindowCheck::Outcome;

namespace {

/// How many windows may fail. Flagger's threshold is the first number that is too many.
std::int64_t failure_limit(const Json& parameters) {
  return data::int_at(parameters, {"failureLimit"}, data::int_at(parameters, {"threshold"}, 1) - 1);
}

WindowCheck check_enough(const Json& parameters, const WindowValues& values,
                         const CheckWindow& check) {
  const auto least = static_cast<double>(data::int_at(parameters, {"minimumRequests"}, 1));
  const Value requests = values.get("canary.requests");
  if (!requests.unknown.empty()) {
    return {Outcome::inconclusive, requests.unknown, requests.message};
  }
  if (requests.number < least) {
    return {
        Outcome::inconclusive, requests.number > 0 ? "TooFew" : "NoTraffic",
        cat("the canary had ", requests.number, " requests in the window, ", least, " are needed")};
  }
  return check(values);
}

/// The counts after a window, and what follows from them.
struct Judgement {
  Action action = Action::hold;
  std::string reason;
};

Judgement count(const WindowCheck& seen, std::int64_t limit, std::int64_t wanted, int step,
                Json& kept) {
  const bool here = data::int_at(kept, {"weight"}) == step;
  const int before = here ? data::count_at(kept, {"passed"}) : 0;
  const int passed = seen.outcome == Outcome::pass ? before + 1 : 0;
  const int failed = data::count_at(kept, {"failed"}) + (seen.outcome == Outcome::fail ? 1 : 0);
  kept["weight"] = step;
  kept["passed"] = std::min<std::int64_t>(passed, wanted);
  kept["failed"] = failed;
  if (failed > limit) {
    return {Action::rollback, "ThresholdFailed"};
  }
  if (seen.outcome == Outcome::pass) {
    return passed >= wanted ? Judgement{Action::advance, "Passed"}
                            : Judgement{Action::hold, "Passing"};
  }
  return {Action::hold, seen.outcome == Outcome::fail ? "CheckFailed" : seen.reason};
}

}  // namespace

void repeat_decision(Json& list, const Json& kept, int step) {
  const Json* last = data::find_path(kept, {"last"});
  if (last == nullptr || data::int_at(*last, {"weight"}) != step) {
    decide(list, Action::hold, "Settling", "the first window is open");
    return;
  }
  decide(list, Action::hold, std::string(data::string_at(*last, {"reason"})),
         std::string(data::string_at(*last, {"message"})));
}

WindowCheck strictest(const std::vector<WindowCheck>& checks) {
  WindowCheck all{Outcome::pass, "", ""};
  std::vector<std::string> messages;
  for (const WindowCheck& one : checks) {
    if (one.outcome == Outcome::fail) {
      return one;
    }
    if (one.outcome == Outcome::inconclusive && all.outcome == Outcome::pass) {
      all = one;
    }
    messages.push_back(one.message);
  }
  if (all.outcome == Outcome::pass) {
    all.message = util::join(messages, ", ");
  }
  return all;
}

Json judge_schema(Json properties) {
  const auto integer = [](int least, const char* description) {
    return Json{{"type", "integer"}, {"minimum", least}, {"description", description}};
  };
  properties["count"] = integer(1, "Windows in a row that must pass before the next weight.");
  properties["count"]["default"] = 1;
  properties["failureLimit"] = integer(
      0, "Windows of an attempt that may fail; one more rolls the release back. 0 by default.");
  properties["threshold"] =
      integer(1, "Flagger's word: so many failed windows roll it back (failureLimit + 1).");
  properties["minimumRequests"] =
      integer(1, "Requests of the canary that a window needs to be judged.");
  properties["minimumRequests"]["default"] = 10;
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

util::Result<> check_limits(const Json& parameters, const Place& place) {
  const auto limit = failure_limit(parameters);
  const auto threshold = data::int_at(parameters, {"threshold"}, limit + 1);
  if (limit != threshold - 1) {
    return (place / "threshold")
        .fail(cat("threshold ", threshold, " and failureLimit ", limit,
                  " contradict each other: threshold is failureLimit + 1, give one"));
  }
  return {};
}

util::Result<> judge_windows(Json& list, const CheckWindow& check) {
  KUBIST_TRY(const ReleaseView view, read_release(list));
  KUBIST_TRY(const release::Plan plan, release::read_plan(list["items"][0]));
  const Json& parameters = parameters_of(list);
  if (!is_live(list, view)) {
    return {};
  }
  Json& config = list["functionConfig"];
  const auto attempt = data::int_at(list["items"][0], {"status", "attempt"}, 1);
  Json kept = state_of(list);
  if (data::int_at(kept, {"attempt"}) != attempt) {
    kept = {{"attempt", attempt}};
  }
  const Json window = config["metrics"].value("window", Json::object());
  const std::string why(data::string_at(window, {"reason"}));
  if (release::is_between(window)) {
    repeat_decision(list, kept, step_key(view));
    return {};
  }
  if (!why.empty()) {  // never a guess, and no window was used up
    decide(list, Action::hold, why, std::string(data::string_at(window, {"message"})));
    return {};
  }
  const WindowCheck seen = check_enough(parameters, WindowValues(config["metrics"], plan), check);
  const Judgement judged = count(seen, failure_limit(parameters),
                                 data::int_at(parameters, {"count"}, 1), step_key(view), kept);
  kept["last"] = {{"weight", step_key(view)}, {"reason", judged.reason}, {"message", seen.message}};
  config["status"]["state"] = std::move(kept);
  decide(list, judged.action, judged.reason, seen.message);
  return {};
}

}  // namespace kubist::policies
