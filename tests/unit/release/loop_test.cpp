#include <doctest/doctest.h>

#include <kubist/release/loop.hpp>
#include <kubist/release/waves.hpp>

using namespace kubist;
using namespace kubist::release;
using engine::Action;
using engine::Decision;

namespace {

Plan plan() {
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

}  // namespace

TEST_CASE("release loop: a good version goes up step by step, bakes, and has it all") {
  Stage stage;
  CHECK(stage.look().state == State::progressing);
  CHECK(stage.progress.weight == 10);
  CHECK(stage.follow().state == State::waiting);
  CHECK(stage.look(Action::advance).weight == 50);
  CHECK(stage.progress.state == State::progressing);
  CHECK(stage.follow(Action::advance).weight == 100);
  CHECK(stage.progress.state == State::promoting);
  CHECK(stage.follow().reason == "Baking");
  for (int i = 0; i < 9; ++i) {
    CHECK(stage.look(Action::advance).state == State::promoting);
  }
  CHECK(stage.look().state == State::succeeded);
  CHECK(stage.progress.weight == 100);
  CHECK_FALSE(stage.last.look_again);
}

TEST_CASE("release loop: nothing is decided on a weight that is not live everywhere") {
  Plan two = plan();
  two.routes = {"shop", "shop-eu"};
  Stage stage(two);
  stage.look();
  stage.seen.members[0].weight = 10;  // the other one cannot be reached
  stage.seen.members[1].settled = false;
  stage.seen.members[1].message = "unreachable";
  for (int i = 0; i < 20; ++i) {
    CHECK(stage.look(Action::advance).weight == 10);
  }
  CHECK(stage.progress.reason == "Applying");
  CHECK(stage.progress.message.find("shop-eu: unreachable") != std::string::npos);
  for (int i = 0; i < 45; ++i) {
    stage.look(Action::advance);
  }
  CHECK(stage.progress.state == State::rolling_back);
  CHECK(stage.progress.reason == "NotApplied");
  // The one that answers goes back; the state stays until the other one has, too.
  stage.seen.members[0].weight.reset();
  CHECK(stage.look().state == State::rolling_back);
  CHECK(stage.progress.message.find("shop-eu") != std::string::npos);
  stage.seen.members[1].settled = true;
  CHECK(stage.look().state == State::rolled_back);
}

TEST_CASE("release loop: without a decision it holds, and after the limit it goes back") {
  Stage stage;
  stage.start();
  for (int i = 0; i < 60; ++i) {
    CHECK(stage.look(Action::hold, "NoTraffic").state == State::waiting);
  }
  stage.look(Action::hold, "NoTraffic");
  stage.look(Action::hold, "NoTraffic");
  CHECK(stage.progress.state == State::rolling_back);
  CHECK(stage.progress.reason == "NoTraffic");
  stage.obey();
  CHECK(stage.look().state == State::rolled_back);
  CHECK(stage.progress.reason == "NoTraffic");
}

TEST_CASE("release loop: abort rules stay armed in every state that is not final") {
  const auto reach = [](State state) {
    Stage stage;
    stage.start();
    if (state == State::waiting) {
      stage.look(Action::hold);
    } else if (state == State::paused) {
      stage.look(std::nullopt, Request::pause);
    } else if (state == State::promoting) {
      stage.look(std::nullopt, Request::promote_full);
    }
    return stage;
  };
  for (const State state : {State::progressing, State::waiting, State::paused, State::promoting}) {
    CAPTURE(to_string(state));
    Stage stage = reach(state);
    CHECK(stage.progress.state == state);
    CHECK(stage.look(Action::rollback, "WorseThanStable").state == State::rolling_back);
    CHECK(stage.progress.weight == 0);
    CHECK(stage.follow().state == State::rolled_back);
    CHECK(stage.look(Action::advance).state == State::rolled_back);
  }
}

TEST_CASE("release loop: a pause freezes the weight and the clock until somebody resumes") {
  Stage stage;
  stage.start();
  stage.look(Action::hold);
  CHECK(stage.look(std::nullopt, Request::pause).state == State::paused);
  CHECK(stage.last.request_done);
  for (int i = 0; i < 500; ++i) {
    CHECK(stage.look(Action::advance).state == State::paused);
  }
  CHECK(stage.progress.weight == 10);
  CHECK(stage.look(std::nullopt, Request::resume).state == State::progressing);
  CHECK(stage.look(Action::advance).weight == 50);
  CHECK_FALSE(stage.look(std::nullopt, Request::retry).state == State::pending);
  CHECK_FALSE(stage.last.request_done);
}

TEST_CASE("release loop: the next weight waits until the target has all its pods") {
  Stage stage;
  stage.start();
  stage.seen.missing_pods = "Deployment team/web-v2 has 1 of 3 pods ready";
  CHECK(stage.look(Action::advance).weight == 10);
  CHECK(stage.progress.state == State::waiting);
  CHECK(stage.progress.reason == "TargetNotReady");
  CHECK(stage.progress.message == stage.seen.missing_pods);
  stage.seen.missing_pods.clear();
  stage.seen.target_ready = false;
  CHECK(stage.look(Action::advance).weight == 10);
  stage.seen.target_ready = true;
  CHECK(stage.look(Action::advance).weight == 50);
  stage.follow();
  stage.seen.target_ready = false;
  CHECK(stage.look(std::nullopt, Request::promote).weight == 100);  // a person may
}

TEST_CASE("release loop: without all its pods it goes back after the hold limit") {
  Stage stage;
  stage.start();
  stage.look(Action::hold);
  stage.seen.missing_pods = "Deployment team/web-v2 has 1 of 3 pods ready";
  stage.now += std::chrono::hours(5);
  CHECK(stage.look(Action::advance).state == State::rolling_back);
  CHECK(stage.progress.reason == "TargetNotReady");
}

TEST_CASE("release loop: a pause does not use up the hold limit") {
  Stage stage;
  stage.start();
  stage.look(Action::hold);
  stage.look(std::nullopt, Request::pause);
  stage.now += std::chrono::hours(5);
  stage.look(std::nullopt, Request::resume);
  CHECK(stage.look(Action::hold, "TooFew").state == State::waiting);
}

TEST_CASE("release loop: an edited route pauses, and its repair does not resume by itself") {
  Stage stage;
  stage.start();
  stage.look(Action::hold);
  stage.seen.members[0].changed = true;
  CHECK(stage.look(Action::advance).state == State::paused);
  CHECK(stage.progress.reason == "RouteChanged");
  stage.seen.members[0].changed = false;
  CHECK(stage.look(Action::advance).state == State::paused);
  CHECK(stage.look(std::nullopt, Request::resume).state == State::progressing);
}

TEST_CASE("release loop: without its status it takes the live weights over and waits") {
  Plan two = plan();
  two.routes = {"shop", "cart"};
  Stage stage(two);
  stage.seen.members[0].weight = 50;
  stage.seen.members[0].attempt = 3;
  stage.seen.members[1].weight = 10;
  stage.seen.members[1].attempt = 3;
  CHECK(stage.look(Action::advance).state == State::paused);
  CHECK(stage.progress.reason == "StatusLost");
  CHECK(stage.progress.weight == 10);
  CHECK(stage.progress.attempt == 3);
  stage.obey();
  CHECK(stage.look(Action::advance).state == State::paused);
  CHECK(stage.look(std::nullopt, Request::resume).state == State::progressing);
  stage.look(Action::advance);
  CHECK(stage.look(Action::advance).weight == 50);
  CHECK(stage.look(std::nullopt, Request::abort).state == State::rolling_back);
}

TEST_CASE("release loop: what a former attempt left is no lost status") {
  Stage stage;
  stage.progress.attempt = 4;
  stage.seen.members[0].weight = 100;
  stage.seen.members[0].attempt = 3;
  CHECK(stage.look(Action::advance).state == State::pending);
  CHECK(stage.progress.reason == "RouteNotReady");
}

TEST_CASE("release loop: a policy's pause ends with the policy's word") {
  Stage stage;
  stage.start();
  CHECK(stage.look(Action::pause, "NeedsApproval").state == State::paused);
  CHECK(stage.progress.paused_by == "Test");
  CHECK(stage.look(Action::pause, "NeedsApproval").state == State::paused);
  CHECK(stage.look(Action::advance).state == State::progressing);
  CHECK(stage.look(Action::advance).weight == 50);
}

TEST_CASE("release loop: another target goes back first, then the next attempt begins") {
  Stage stage;
  stage.start();
  stage.look(Action::hold);
  stage.seen.target = "v2/def";
  CHECK(stage.look(Action::advance).state == State::rolling_back);
  CHECK(stage.follow().state == State::pending);
  CHECK(stage.progress.attempt == 2);
  CHECK(stage.progress.target == "v2/def");
  CHECK(stage.look().state == State::progressing);
}

TEST_CASE("release loop: a final state waits for another target or a retry") {
  Stage stage;
  stage.start();
  CHECK(stage.look(std::nullopt, Request::abort).state == State::rolling_back);
  stage.obey();
  CHECK(stage.look().state == State::aborted);
  CHECK(stage.look(Action::advance).state == State::aborted);
  CHECK(stage.look(std::nullopt, Request::retry).state == State::pending);
  CHECK(stage.progress.attempt == 2);
}

TEST_CASE("release loop: a route that is gone ends it, with the weights last seen") {
  Stage stage;
  stage.start();
  stage.look(Action::hold);
  stage.seen.members[0].there = false;
  CHECK(stage.look(Action::hold).state == State::failed);
  CHECK(stage.progress.weight == 10);
}

TEST_CASE("release loop: a target without pods is waited for, whatever policies say") {
  Stage stage;
  stage.seen.target_ready = false;
  stage.seen.message = "no pod of v2 is ready";
  CHECK(stage.look(Action::advance).state == State::pending);
  CHECK(stage.progress.reason == "TargetNotReady");
  CHECK(stage.look(Action::rollback).state == State::pending);
}

TEST_CASE("release loop: looks over an unchanged world change nothing") {
  Stage stage;
  stage.start();
  stage.look(Action::hold, "TooFew");
  const auto before = to_json(stage.look(Action::hold, "TooFew"));
  CHECK(to_json(stage.look(Action::hold, "TooFew")) == before);
  stage.look(std::nullopt, Request::pause);
  const auto paused = to_json(stage.progress);
  CHECK(to_json(stage.look(Action::hold, "TooFew")) == paused);
}

TEST_CASE("release loop: a first step of 0 % is a step, and goes back as any other") {
  Plan given = plan();
  given.weights = {0, 50, 100};
  Stage stage(given);
  CHECK(stage.look().state == State::progressing);
  CHECK(stage.progress.weight == 0);
  CHECK(is_moved(stage.progress));
  CHECK(stage.look(Action::advance).weight == 0);  // not live yet
  stage.seen.members[0].weight = 0;
  CHECK(stage.look(Action::hold).state == State::waiting);
  CHECK(stage.progress.observed_at);
  CHECK(stage.look(Action::advance).weight == 50);
  CHECK_FALSE(stage.progress.at_zero);
  stage.look(Action::rollback);
  CHECK_FALSE(is_moved(stage.progress));
  CHECK(stage.look().state == State::rolling_back);
  stage.seen.members[0].weight = std::nullopt;
  CHECK(stage.look().state == State::rolled_back);
}

TEST_CASE("release plan: weights rise and end at 100, times are durations") {
  const auto read = [](const char* spec) { return read_plan({{"spec", data::Json::parse(spec)}}); };
  const auto fine =
      read(R"({"destination": "web", "stable": "v1", "canary": "v2", "routes": ["shop"],
                             "weights": [20, 40], "interval": "10s", "bake": "0s",
                             "sessionAffinity": {"cookieName": "stay", "maxAge": 60}})");
  REQUIRE(fine);
  CHECK(fine->weights == std::vector{20, 40, 100});
  CHECK(fine->interval == std::chrono::seconds(10));
  CHECK(fine->cookie == "stay");
  CHECK(fine->cookie_age == std::chrono::seconds(60));
  CHECK(next_weight(*fine, 0) == 20);
  CHECK(next_weight(*fine, 40) == 100);
  for (const char* bad : {R"({"stable": "v1", "canary": "v1"})",
                          R"({"stable": "v1", "canary": "v2", "weights": [50, 20]})",
                          R"({"stable": "v1", "canary": "v2", "weights": [-1]})",
                          R"({"stable": "v1", "canary": "v2", "weights": [4294967306]})",
                          R"({"stable": "v1", "canary": "v2", "waves": [{}]})",
                          R"({"stable": "v1", "canary": "v2", "waves": [null, 7, "x"]})",
                          R"({"stable": "v1", "canary": "v2", "order": "waves", "waves":
                            [{"virtualClusters": ["a"]}, {"virtualClusters": ["a"]}]})",
                          R"({"stable": "v1", "canary": "v2", "interval": "soon"})",
                          R"({"stable": "v1", "canary": "v2", "sessionAffinity": {}})",
                          R"({"stable": "v1", "canary": "v2", "sessionAffinity":
                            {"cookieName": "a; Path"}})",
                          R"({"stable": "v1", "canary": "v2", "sessionAffinity":
                            {"cookieName": "a", "maxAge": 0}})",
                          R"({"stable": "v1", "canary": "v2", "holdLimit": "-1s"})"}) {
    CAPTURE(bad);
    CHECK_FALSE(read(bad));
  }
}

TEST_CASE("release loop: a policy may keep it from beginning, and then nothing is moved") {
  Stage stage;
  for (int i = 0; i < 100; ++i) {  // longer than the hold limit
    CHECK(stage.look(Action::hold, "ApprovalNeeded").state == State::pending);
  }
  CHECK(stage.progress.reason == "ApprovalNeeded");
  CHECK(stage.progress.weight == 0);
  CHECK(stage.look(Action::advance).weight == 10);
}

TEST_CASE("release loop: paused before its first step it begins when it is resumed") {
  Stage stage;
  stage.seen.target_ready = false;
  stage.look();
  CHECK(stage.look(std::nullopt, Request::pause).state == State::paused);
  stage.seen.target_ready = true;
  CHECK(stage.look().state == State::paused);
  stage.look(std::nullopt, Request::resume);
  CHECK(stage.look().weight == 10);
  CHECK(stage.follow().state == State::waiting);
}

namespace {

Plan wave_plan() {
  Plan given = plan();
  given.routes = {"web on a", "web on b", "web on c"};
  given.in_waves = true;
  given.waves = {{"b"}, {"a"}};
  given.bake = std::chrono::seconds(60);
  return given;
}

/// Three clusters; each has what its wave has got.
struct Waves : Stage {
  Waves() : Stage(wave_plan()) {
    for (std::size_t i = 0; i < 3; ++i) {
      seen.members[i].cluster = std::string(1, static_cast<char>('a' + i));
    }
  }
  /// "10 0 0": percents of a, b and c after the routes followed.
  std::string obeyed() {
    std::string text;
    for (Member& member : seen.members) {
      const int wave = member.cluster == "b" ? 0 : member.cluster == "a" ? 1 : 2;
      member.weight = weight_in(progress, wave);
      text += std::to_string(member.weight.value_or(0)) + (member.cluster == "c" ? "" : " ");
    }
    return text;
  }
};

}  // namespace

TEST_CASE("release loop: in waves each needs the policies' leave, and bakes at the end") {
  Waves stage;
  stage.look();
  std::string seen = stage.obeyed();
  const std::vector<std::string> wanted{"0 10 0",    "10 10 0",    "10 10 10",
                                        "10 50 10",  "50 50 10",   "50 50 50",
                                        "50 100 50", "100 100 50", "100 100 100"};
  for (const std::string& step : wanted) {
    CHECK(seen == step);
    CHECK(stage.progress.waves == 3);
    CHECK(stage.look(Action::hold).state != State::succeeded);  // no leave, no step
    CHECK(stage.obeyed() == step);
    const bool at_the_end = stage.progress.weight == 100;
    stage.look(at_the_end ? Action::hold : Action::advance);
    for (int i = 0; at_the_end && i < 2 && stage.progress.observed_at; ++i) {
      stage.look(Action::hold);
    }
    seen = stage.obeyed();
  }
  CHECK(stage.progress.state == State::succeeded);
}

TEST_CASE("release loop: a verdict in the middle of a wave takes all of them back") {
  Waves stage;
  stage.look();
  stage.obeyed();
  stage.look(Action::advance);
  CHECK(stage.obeyed() == "10 10 0");
  CHECK(stage.look(Action::rollback, "Bad").state == State::rolling_back);
  CHECK(stage.obeyed() == "0 0 0");
  CHECK(stage.look().state == State::rolled_back);
}

TEST_CASE("release loop: a person's promotion goes to the next wave, a full one to all") {
  Waves stage;
  stage.look();
  stage.obeyed();
  stage.look(Action::hold);
  stage.look(std::nullopt, Request::promote);
  CHECK(stage.obeyed() == "10 10 0");
  stage.look(std::nullopt, Request::promote_full);
  CHECK(stage.obeyed() == "100 100 100");
  CHECK(stage.progress.state == State::promoting);
}

TEST_CASE("release waves: by name, or as the plan has them") {
  Plan given = plan();
  const std::set<std::string> clusters{"a", "b", "c"};
  using Waves = std::map<std::string, int>;
  CHECK(waves_of(given, clusters) == Waves{{"a", 0}, {"b", 0}, {"c", 0}});
  given.in_waves = true;
  CHECK(waves_of(given, clusters) == Waves{{"a", 0}, {"b", 1}, {"c", 2}});
  given.waves = {{"z"}, {"c", "a"}};
  CHECK(waves_of(given, clusters) == Waves{{"a", 0}, {"b", 1}, {"c", 0}});
}

TEST_CASE("release loop: members go as one, and one that is gone holds the rest and ends it") {
  Plan given = plan();
  given.routes = {"web on eu", "web on us"};
  Stage stage(given);
  Member& eu = stage.seen.members[0];
  Member& us = stage.seen.members[1];
  stage.start();
  eu.weight = std::nullopt;  // us has the step, eu has not: nobody goes on
  CHECK(stage.look(Action::advance).weight == 10);
  eu.weight = 10;
  CHECK(stage.look(Action::advance).weight == 50);
  CHECK(stage.follow(Action::hold).weight == 50);
  us.settled = false;
  us.message = "no answer";
  for (int i = 0; stage.progress.state != State::rolling_back && i < 1000; ++i) {
    stage.look(Action::hold, "NoData");
    CHECK(stage.progress.weight <= 50);
  }
  CHECK(stage.progress.reason == "NoData");
  eu.weight = std::nullopt;  // what can be reached is back
  for (int i = 0; i < 100; ++i) {
    stage.look();
  }
  CHECK(stage.progress.state == State::rolling_back);
  CHECK(stage.progress.message == "going back (TrafficRoute/web on us at 50 %: no answer)");
  us.settled = true;  // it answers, with its old weights
  CHECK(stage.look().state == State::rolling_back);
  us.weight = std::nullopt;
  CHECK(stage.look().state == State::rolled_back);
}
