#include "loop_support.hpp"

using namespace loop_test;

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
  // The one that answers rolls back; the state stays until the other one has, too.
  stage.seen.members[0].weight.reset();
  CHECK(stage.look().state == State::rolling_back);
  CHECK(stage.progress.message.find("shop-eu") != std::string::npos);
  stage.seen.members[1].settled = true;
  CHECK(stage.look().state == State::rolled_back);
}

TEST_CASE("release loop: without a decision it holds, and after the limit it rolls back") {
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

TEST_CASE("release loop: without all its pods it rolls back after the hold limit") {
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

TEST_CASE("release loop: another target rolls back first, then the next attempt begins") {
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

TEST_CASE("release loop: a first step of 0 % is a step, and rolls back as any other") {
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
