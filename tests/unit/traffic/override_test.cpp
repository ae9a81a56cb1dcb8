#include <kubist/traffic/override.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::testing;
using data::Json;
using traffic::Override;
using traffic::read_override;

namespace {

Override shift(int percent) {
  Override given{.by = "CanaryRelease/web", .attempt = 2, .for_spec = "abc"};
  given.shift = traffic::Shift{"web", "v1", "v2", percent};
  return given;
}

const Json k_routes = json(R"([{"weights": [{"destination": "web", "version": "v1"}]}])");

}  // namespace

TEST_CASE("override: a status says who moved the weights, for which rules, and how") {
  Override given = shift(20);
  CHECK(traffic::to_json(given) ==
        json(R"({"by": "CanaryRelease/web", "attempt": 2, "forSpec": "abc", "destination": "web",
                 "stable": "v1", "canary": "v2", "percent": 20})"));
  given.final = true;
  CHECK(traffic::to_json(given)["final"] == true);
  Override split{.by = "Experiment/web", .attempt = 1, .for_spec = "abc"};
  split.split = traffic::Split{"", "c", 60, {{"a", "web", "v1", 0, 1}}};
  CHECK(traffic::to_json(split)["split"]["cookie"] == "c");
}

TEST_CASE("override: what a status says is read back as it was") {
  Override final = shift(100);
  final.final = true;
  Override split{.by = "Experiment/web", .attempt = 1, .for_spec = "abc"};
  split.split = traffic::Split{"", "c", 60, {{"a", "web", "v1", 0, 1}}};
  for (const Override& given : {shift(20), final, split}) {
    const Json status = traffic::to_json(given);
    const auto read = read_override(&status);
    REQUIRE(read);
    CHECK(traffic::to_json(*read) == status);
    CHECK(read->moves());
  }
}

TEST_CASE("override: no status, or one that means nothing, is none") {
  const Json text("web");
  const Json null;
  CHECK_FALSE(read_override(nullptr));
  CHECK_FALSE(read_override(&text));
  CHECK_FALSE(read_override(&null));
}

TEST_CASE("override: one with more variants than an Experiment may have is none") {
  Override given{.by = "Experiment/web"};
  given.split = traffic::Split{"", "c", 60, {10, {"a", "web", "v1", 0, 1}}};
  Json status = traffic::to_json(given);
  CHECK(read_override(&status));
  status["split"]["variants"].push_back(status["split"]["variants"][0]);
  CHECK_FALSE(read_override(&status));
}

TEST_CASE("override: virtual clusters that a step has not reached keep what they have") {
  Override given = shift(50);
  given.held = {{"eu", 20}, {"us", 0}};
  CHECK(given.on("asia").shift->percent == 50);
  CHECK(given.on("eu").shift->percent == 20);
  CHECK_FALSE(given.on("us").moves());
}

TEST_CASE("override: its routes have the weights moved, or a rule for each variant") {
  const auto shifted = traffic::overridden_routes(k_routes, shift(20));
  REQUIRE(shifted);
  CHECK((*shifted)[0]["weights"].size() == 2);
  Override split{.by = "Experiment/web"};
  split.split = traffic::Split{"", "c", 60, {{"a", "web", "v1", 0, 1}, {"b", "web", "v2", 0, 1}}};
  const auto routes = traffic::overridden_routes(k_routes, split);
  REQUIRE(routes);
  CHECK(routes->size() == 3);
}
