#include <kubist/traffic/http_route.hpp>
#include <kubist/traffic/split.hpp>
#include <kubist/traffic/virtual_service.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::testing;

namespace {

traffic::Split split() {
  return {"", "exp", 3600, {{"control", "web", "v1", 0, 3}, {"green", "web", "v2", 8080, 1}}};
}

data::Json compiled(const data::Json& routes, const traffic::Split& split) {
  auto rules = traffic::split_routes(routes, split);
  REQUIRE_MESSAGE(rules, (rules ? "" : rules.error().to_string()));
  const auto spec = traffic::virtual_service_spec(
      route(data::Json{{"hosts", {"shop.example.com"}}, {"routes", *rules}}.dump()), k_place);
  REQUIRE_MESSAGE(spec, (spec ? "" : spec.error().to_string()));
  return (*spec)["http"];
}

const char* const k_one =
    R"([{"timeout": "5s", "weights": [{"destination": "web", "version": "v1"}]}])";

}  // namespace

TEST_CASE("split: clients with a cookie go to their variant, others get one") {
  const data::Json http = compiled(json(k_one), split());
  REQUIRE(http.size() == 3);
  CHECK(http[0]["name"] == "route-1-control");
  CHECK(http[1]["name"] == "route-1-green");
  CHECK(http[1]["timeout"] == "5s");
  CHECK(http[1]["match"][0]["headers"]["cookie"]["regex"].get<std::string>().find("exp=green") !=
        std::string::npos);
  REQUIRE(http[1]["route"].size() == 1);
  CHECK(
      http[1]["route"][0]["destination"] ==
      json(R"({"host": "web.prod.svc.cluster.local", "subset": "v2", "port": {"number": 8080}})"));
  CHECK_FALSE(http[1]["route"][0].contains("headers"));
  CHECK_FALSE(http[2].contains("match"));
  CHECK(http[2]["route"][0]["weight"] == 3);
  CHECK(http[2]["route"][1]["weight"] == 1);
  CHECK(http[2]["route"][1]["headers"]["response"]["add"]["set-cookie"] ==
        "exp=green; Path=/; Max-Age=3600; SameSite=Lax");
}

TEST_CASE("split: a cookie is another client's when only a part of it is the same") {
  const auto rules = traffic::split_routes(json(k_one), split());
  REQUIRE(rules);
  const traffic::Route read =
      route(data::Json{{"hosts", {"shop.example.com"}}, {"routes", *rules}}.dump());
  const auto rule = [&](const std::string& cookie) {
    traffic::Request request;
    if (!cookie.empty()) {
      request.headers["cookie"] = cookie;
    }
    return traffic::rule_for(read, request)->name;
  };
  CHECK(rule("") == "route-1");
  CHECK(rule("a=b; exp=green; c=d") == "route-1-green");
  CHECK(rule("exp=control") == "route-1-control");
  CHECK(rule("exp=greener") == "route-1");
  CHECK(rule("myexp=green") == "route-1");
}

TEST_CASE("split: the rule's own condition stays, and other rules stay where they are") {
  traffic::Split own = split();
  own.rule = "shop";
  const data::Json http = compiled(json(R"([
      {"condition": "uri prefix \"/admin\"", "weights": [{"destination": "admin"}]},
      {"name": "shop", "condition": "uri prefix \"/a\" or uri prefix \"/b\"",
       "weights": [{"destination": "web", "version": "v1"}]},
      {"weights": [{"destination": "web"}]}])"),
                                   own);
  REQUIRE(http.size() == 5);
  CHECK(http[0]["name"] == "route-1");
  CHECK(http[4]["name"] == "route-3");
  CHECK(http[4]["route"] == json(R"([{"destination": {"host": "web.prod.svc.cluster.local"}}])"));
  REQUIRE(http[1]["match"].size() == 2);  // both, each with the cookie
  CHECK(http[1]["match"][1]["uri"]["prefix"] == "/b");
  for (const data::Json& match : http[1]["match"]) {
    CHECK(match.value("headers", data::Json::object()).contains("cookie"));
  }
  CHECK(http[3]["match"].size() == 2);
}

TEST_CASE("split: a rule that is not there, or not said, is refused") {
  traffic::Split own = split();
  own.rule = "none";
  const data::Json routes = json(R"([{"name": "a", "condition": "uri prefix \"/a\"",
    "weights": [{"destination": "web"}]}, {"weights": [{"destination": "web"}]}])");
  const auto missing = traffic::split_routes(routes, own);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().reason == "NoSuchRule");
  const auto unsaid = traffic::split_routes(routes, split());
  REQUIRE_FALSE(unsaid);
  CHECK(unsaid.error().message == "the route has 2 rules, and none is named");
}

TEST_CASE("split: it survives the status") {
  const data::Json once = traffic::to_json(split());
  CHECK(traffic::to_json(traffic::read_split(once).value()) == once);
}

TEST_CASE("split: an HTTPRoute has no cookies of its own") {
  auto rules = traffic::split_routes(
      json(R"([{"weights": [{"destination": "web", "version": "v1", "port": 80}]}])"), split());
  REQUIRE(rules);
  const auto spec = traffic::http_route_spec(
      route(data::Json{{"hosts", {"web"}}, {"routes", *rules}}.dump()), k_place);
  REQUIRE_FALSE(spec);
  CHECK(spec.error().to_string().find(
            "cookies of an experiment or a release need a VirtualService") != std::string::npos);
}
