#include "experiment_support.hpp"

namespace kubist::experiment {

namespace {

data::Json valid() {
  return data::Json::parse(R"({"metadata": {"name": "button"}, "spec": {"route": "shop",
    "variants": [{"name": "control", "destination": "web", "version": "v1"},
                 {"name": "green", "destination": "web", "version": "v2", "weight": 3}],
    "goals": [{"name": "orders", "kind": "Conversion"},
              {"name": "wait", "kind": "Mean", "direction": "Decrease"}]}})");
}

std::string error_of(const data::Json& json) {
  const auto plan = read_plan(json);
  return plan ? "" : plan.error().message;
}

}  // namespace

TEST_CASE("plan: what is not said has its default") {
  const auto plan = read_plan(valid());
  REQUIRE(plan);
  CHECK(plan->cookie == "kubist-exp-button");
  CHECK(plan->interval == std::chrono::seconds(60));
  CHECK(plan->variants[0].weight == 1);
  CHECK(plan->variants[1].weight == 3);
  CHECK(plan->goals[1].kind == GoalKind::mean);
  CHECK_FALSE(plan->goals[1].increase);
  CHECK(plan->test == Test::anytime);
  CHECK(plan->minimum_samples == 100);
}

TEST_CASE("plan: fewer samples than the default minimum lower it") {
  data::Json few = valid();
  few["spec"]["test"] = {{"kind", "Welch"}, {"samples", 40}, {"alpha", 0.01}};
  const auto plan = read_plan(few);
  REQUIRE(plan);
  CHECK(plan->minimum_samples == 40);
  CHECK(plan->alpha == 0.01);
  few["spec"]["test"]["minimumSamples"] = 50;
  CHECK(error_of(few) == "spec.test.minimumSamples: more than spec.test.samples");
}

TEST_CASE("plan: policies change how it is judged, not what is counted") {
  const auto before = read_plan(valid());
  REQUIRE(before);
  data::Json after = valid();
  after["spec"]["test"] = {{"samples", 200}};
  after["spec"]["maxDuration"] = "1h";
  const auto judged = after_policies(*before, after);
  REQUIRE(judged);
  CHECK(judged->samples == 200);
  CHECK(judged->max_duration == std::chrono::hours(1));
  data::Json elsewhere = valid();
  elsewhere["spec"]["route"] = "other";
  data::Json counted = valid();
  counted["spec"]["goals"][0]["kind"] = "Mean";
  for (const data::Json& refused : {elsewhere, counted}) {
    const auto plan = after_policies(*before, refused);
    REQUIRE_FALSE(plan);
    CHECK(plan.error().reason == "PolicyNotApplicable");
  }
}

TEST_CASE("plan: Thompson has its minimum and its seed, and needs a test for any time") {
  const auto with = [](const char* assignment, const char* test) {
    data::Json made = valid();
    made["metadata"]["uid"] = "abc";
    made["spec"]["assignment"] = data::Json::parse(assignment);
    made["spec"]["test"] = data::Json::parse(test);
    return read_plan(made);
  };
  const auto plan = with(R"({"kind": "Thompson"})", "{}");
  REQUIRE(plan);
  CHECK(plan->assignment == Assignment::thompson);
  CHECK(plan->minimum_percent == 5);
  CHECK(plan->seed == with(R"({"kind": "Thompson"})", "{}")->seed);
  CHECK(with(R"({"kind": "Thompson", "seed": 7, "minimumPercent": 20})", "{}")->seed == 7);
  for (const char* percent : {"51", "2147483647", "4294967301"}) {
    CAPTURE(percent);
    CHECK_FALSE(with(
        (std::string(R"({"kind": "Thompson", "minimumPercent": )") + percent + '}').c_str(), "{}"));
  }
  CHECK_FALSE(with(R"({"kind": "Thompson"})", R"({"kind": "Welch"})"));
  CHECK(with(R"({"kind": "Fixed"})", R"({"kind": "Welch"})"));
}

TEST_CASE("plan: wrong input names the field") {
  data::Json twice = valid();
  twice["spec"]["variants"][1]["name"] = "control";
  CHECK(error_of(twice) == "spec.variants: the name control is there twice");
  data::Json goals = valid();
  goals["spec"]["goals"][1]["name"] = "orders";
  CHECK(error_of(goals) == "spec.goals: the name orders is there twice");
  data::Json time = valid();
  time["spec"]["cookie"] = {{"maxAge", "10ms"}};
  CHECK(error_of(time) == "spec.maxAge: \"10ms\" is no duration of 1 s or more");
  data::Json one = valid();
  one["spec"]["variants"].erase(1);
  CHECK(error_of(one) == "spec needs two variants or more, and a goal");
}

}  // namespace kubist::experiment
