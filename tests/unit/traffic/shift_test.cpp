#include <doctest/doctest.h>

#include <kubist/traffic/shift.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::traffic;
using testing::json;

namespace {

data::Json weights_after(std::string_view weights, int percent) {
  const auto routes = shifted_routes(data::Json::array({{{"weights", json(weights)}}}),
                                     {"web", "v1", "v2", percent});
  REQUIRE_MESSAGE(routes.has_value(), routes.error().to_string());
  data::Json shares = data::Json::object();
  for (const data::Json& backend : (*routes)[0]["weights"]) {
    shares[backend["version"]] = backend["weight"];
  }
  return shares;
}

}  // namespace

TEST_CASE("shift: stable's share is split, whatever the weights sum up to") {
  CHECK(weights_after(R"([{"destination": "web", "version": "v1"}])", 5) ==
        json(R"({"v1": 95, "v2": 5})"));
  CHECK(weights_after(R"([{"destination": "web", "version": "v1", "weight": 0}])", 100) ==
        json(R"({"v1": 0, "v2": 100})"));
  CHECK(weights_after(R"([{"destination": "web", "version": "v1", "weight": 3},
                          {"destination": "web", "version": "v2", "weight": 0}])",
                      50) == json(R"({"v1": 50, "v2": 50})"));
  CHECK(weights_after(R"([{"destination": "web", "version": "v1", "weight": 40},
                          {"destination": "web", "version": "v2", "weight": 20},
                          {"destination": "web", "version": "v0", "weight": 40}])",
                      50) == json(R"({"v0": 40, "v1": 30, "v2": 30})"));
}

TEST_CASE("shift: weights that no route may have overflow nothing") {
  for (const char* weight : {"9223372036854775807", "-9223372036854775808"}) {
    const auto after = weights_after(
        util::cat(R"([{"destination": "web", "version": "v1", "weight": )", weight,
                  R"(}, {"destination": "web", "version": "v2", "weight": )", weight, "}]"),
        50);
    CHECK(after["v1"] == after["v2"]);
  }
}

TEST_CASE("shift: all other shares stay what they were") {
  CHECK(weights_after(R"([{"destination": "web", "version": "v1", "weight": 60},
                          {"destination": "web", "version": "v0", "weight": 40}])",
                      10) == json(R"({"v0": 40, "v1": 54, "v2": 6})"));
  CHECK(weights_after(R"([{"destination": "web", "version": "v1", "weight": 2},
                          {"destination": "web", "version": "v0", "weight": 1}])",
                      10) == json(R"({"v0": 5, "v1": 9, "v2": 1})"));  // no whole percents
}

TEST_CASE("shift: the canary's backend is stable's with another version") {
  const auto routes = shifted_routes(
      json(R"([{"name": "a", "weights": [{"destination": "web", "version": "v1", "port": 80}]},
               {"name": "b", "weights": [{"destination": "other", "weight": 1}]}])"),
      {"web", "v1", "v2", 25});
  REQUIRE(routes);
  CHECK((*routes)[0]["weights"][1] ==
        json(R"({"destination": "web", "version": "v2", "port": 80, "weight": 25})"));
  CHECK((*routes)[1] ==
        json(R"({"name": "b", "weights": [{"destination": "other", "weight": 1}]})"));
}

TEST_CASE("shift: requests that match go to the canary before all else of their rule") {
  const Shift shift{"web", "v1", "v2", 25,
                    "header \"x-canary\" present or cookie \"a\" exact \"b\""};
  const auto routes = shifted_routes(json(R"([{"condition": "uri prefix \"/a\"", "timeout": "5s",
                "weights": [{"destination": "web", "version": "v1", "port": 80}]},
               {"name": "b", "weights": [{"destination": "web", "version": "v1"}]},
               {"weights": [{"destination": "other"}]}])"),
                                     shift);
  REQUIRE(routes);
  REQUIRE(routes->size() == 5);
  CHECK((*routes)[0] == json(R"j({"name": "route-1-canary", "timeout": "5s",
      "condition": "(uri prefix \"/a\") and (header \"x-canary\" present or cookie \"a\" exact \"b\")",
      "weights": [{"destination": "web", "version": "v2", "port": 80}]})j"));
  CHECK((*routes)[1]["name"] == "route-1");
  CHECK((*routes)[1]["weights"].size() == 2);
  CHECK((*routes)[2]["name"] == "b-canary");
  CHECK((*routes)[2]["condition"] == shift.match);
  CHECK((*routes)[4]["name"] == "route-3");
  CHECK(read_shift(to_json(shift)) == shift);
}

TEST_CASE("shift: a route that does not send to stable is refused") {
  const auto routes = shifted_routes(
      json(R"([{"weights": [{"destination": "web", "version": "v3"}]}])"), {"web", "v1", "v2", 10});
  REQUIRE_FALSE(routes);
  CHECK(routes.error().reason == "StableNotRouted");
}

TEST_CASE("shift: copies of requests go to the canary, whatever its share is") {
  const auto routes = json(R"([{"condition": "method exact \"GET\"",
    "weights": [{"destination": "web", "version": "v1", "port": 80}]}])");
  const Shift all{"web", "v1", "v2", 0, "", {30, ""}};
  const auto mirrored = shifted_routes(routes, all);
  REQUIRE(mirrored);
  CHECK(*mirrored == json(R"([{"condition": "method exact \"GET\"",
    "mirror": {"destination": "web", "version": "v2", "port": 80, "percent": 30},
    "weights": [{"destination": "web", "version": "v1", "port": 80, "weight": 100},
                {"destination": "web", "version": "v2", "port": 80, "weight": 0}]}])"));
  const Shift some{"web", "v1", "v2", 50, "", {100, "header \"x\" exact \"y\""}};
  const auto two = shifted_routes(routes, some);
  REQUIRE(two);
  REQUIRE(two->size() == 2);
  CHECK((*two)[0]["name"] == "route-1-mirror");
  CHECK((*two)[0]["condition"] == "(method exact \"GET\") and (header \"x\" exact \"y\")");
  CHECK((*two)[0]["mirror"]["percent"] == 100);
  CHECK((*two)[0]["weights"] == (*two)[1]["weights"]);
  CHECK_FALSE((*two)[1].contains("mirror"));
  CHECK(read_shift(to_json(some)) == some);
  CHECK(read_shift(to_json(all)) == all);
  auto taken = routes;
  taken[0]["mirror"] = json(R"({"destination": "log"})");
  CHECK(shifted_routes(taken, all).error().reason == "MirrorTaken");
}

TEST_CASE("shift: clients that the canary answered stay with it, until it has everything") {
  const auto routes = json(R"([{"condition": "uri prefix \"/a\"", "timeout": "5s",
    "weights": [{"destination": "web", "version": "v1"}]}, {"weights": [{"destination": "other"}]}])");
  Shift shift{"web", "v1", "v2", 25, "", {}, {"stay", "0a1b", std::chrono::seconds(60)}};
  auto shifted = shifted_routes(routes, shift);
  REQUIRE(shifted);
  CHECK(*shifted == json(R"j([
    {"name": "route-1-canary", "timeout": "5s",
     "condition": "(uri prefix \"/a\") and (cookie \"stay\" exact \"0a1b\")",
     "weights": [{"destination": "web", "version": "v2"}]},
    {"name": "route-1", "timeout": "5s", "condition": "uri prefix \"/a\"",
     "weights": [{"destination": "web", "version": "v1", "weight": 75},
                 {"destination": "web", "version": "v2", "weight": 25,
                  "setCookie": "stay=0a1b; Path=/; Max-Age=60; SameSite=Lax"}]},
    {"name": "route-2", "weights": [{"destination": "other"}]}])j"));
  shift.match = "header \"x\" exact \"y\"";
  CHECK((*shifted_routes(routes, shift))[0]["condition"] ==
        "(uri prefix \"/a\") and ((header \"x\" exact \"y\") or cookie \"stay\" exact \"0a1b\")");
  CHECK(read_shift(to_json(shift)) == shift);
  CHECK(released_routes(routes, shift)->size() == 2);
  shift.match.clear();
  shift.percent = 100;
  shifted = shifted_routes(routes, shift);
  REQUIRE(shifted);
  CHECK((*shifted)[0]["name"] == "route-1-expire");
  CHECK((*shifted)[0]["condition"] == "(uri prefix \"/a\") and (cookie \"stay\" exact \"0a1b\")");
  for (const data::Json& backend : (*shifted)[0]["weights"]) {
    CHECK(backend["setCookie"] == "stay=0a1b; Path=/; Max-Age=0; SameSite=Lax");
  }
  CHECK_FALSE((*shifted)[1]["weights"][1].contains("setCookie"));
}

TEST_CASE("shift: once released the canary stands where stable stood") {
  const Shift shift{"web", "v1", "v2", 20, "header \"x\" exact \"y\""};
  const auto routes = json(R"([
    {"weights": [{"destination": "web", "version": "v1"}]},
    {"name": "b", "weights": [{"destination": "web", "version": "v1", "weight": 60},
                              {"destination": "old", "weight": 40}]},
    {"weights": [{"destination": "other", "version": "v1"}]}])");
  const auto released = released_routes(routes, shift);
  REQUIRE(released);
  CHECK(*released == json(R"([
    {"weights": [{"destination": "web", "version": "v2"}]},
    {"name": "b", "weights": [{"destination": "old", "weight": 40},
                              {"destination": "web", "version": "v2", "weight": 60}]},
    {"weights": [{"destination": "other", "version": "v1"}]}])"));
  CHECK(*released_routes(*released, shift) == *released);
  CHECK_FALSE(released_routes(json(R"([{"weights": [{"destination": "other"}]}])"), shift));
}

TEST_CASE("shift: the hash tells one list of routes from another") {
  CHECK(routes_hash(json("[1]")) == routes_hash(json("[1]")));
  CHECK(routes_hash(json("[1]")) != routes_hash(json("[2]")));
}
