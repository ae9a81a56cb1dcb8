#pragma once
#include <doctest/doctest.h>

#include <kubist/release/loop.hpp>

namespace loop_test {

using namespace kubist;
using namespace kubist::release;
using engine::Action;
using engine::Decision;

inline Plan plan() {
  Plan plan;
  plan.destination = "web";
  plan.stable = "v1";
  plan.canary = "v2";
  plan.routes = {"shop"};
  plan.weights = {10, 50, 100};
  return plan;
}

/// The world of a release: its routes do what was asked one look later.
class Stage {
 public:
  explicit Stage(Plan given = plan()) : m_plan(std::move(given)) {
    for (const std::string& route : m_plan.routes) {
      seen.members.push_back({route, true, true, std::nullopt, false, ""});
    }
  }

  const Progress& look(std::optional<Decision> decision = std::nullopt,
                       Request request = Request::none) {
    // A round trip through the status at every look, as after a kill.
    last = tick(m_plan, read_progress(to_json(progress)), seen, decision, request, now);
    progress = last.progress;
    now += m_plan.interval;
    return progress;
  }
  const Progress& look(Action action, std::string reason = "") {
    return look(Decision{action, std::nullopt, std::move(reason), "said so", "Test"});
  }
  /// The routes follow, then a look.
  const Progress& follow(Action action = Action::hold) {
    obey();
    return look(action);
  }
  void obey() {
    for (Member& member : seen.members) {
      member.weight = progress.weight == 0 ? std::nullopt : std::optional(progress.weight);
    }
  }
  /// Until the first step is live.
  void start() {
    look();
    obey();
  }

  Seen seen{.target = "v2/abc", .target_ready = true, .message = {}, .members = {}};
  Progress progress;
  Tick last;
  Time now{std::chrono::seconds(1'800'000'000)};

 private:
  Plan m_plan;
};

}  // namespace loop_test
