#include <kubist/release/waves.hpp>

#include "loop_support.hpp"

using namespace loop_test;

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
  CHECK(stage.progress.message == "rolling back (TrafficRoute/web on us at 50 %: no answer)");
  us.settled = true;  // it answers, with its old weights
  CHECK(stage.look().state == State::rolling_back);
  us.weight = std::nullopt;
  CHECK(stage.look().state == State::rolled_back);
}
