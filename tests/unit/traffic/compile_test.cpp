#include <re2/re2.h>

#include <kubist/traffic/http_route.hpp>
#include <kubist/traffic/virtual_service.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::testing;
using namespace kubist::traffic;

namespace {

data::Json compiled(std::string_view spec) {
  auto made = virtual_service_spec(route(spec), k_place);
  REQUIRE_MESSAGE(made.has_value(), made.error().to_string());
  return *std::move(made);
}

data::Json matches_of(const std::string& condition) {
  data::Json spec = json(R"({"hosts": ["shop"], "routes": [{"weights": [{"destination": "a"}]}]})");
  spec["routes"][0]["condition"] = condition;
  return compiled(spec.dump())["http"][0]["match"];
}

std::string refusal(std::string_view spec) {
  const auto made = http_route_spec(route(spec), k_place);
  return made ? "" : made.error().to_string();
}

}  // namespace

TEST_CASE("virtual service: weights, conditions and all that a route may say") {
  CHECK(compiled(R"({"hosts": ["shop.example.com"], "gateways": ["gw"], "routes": [
      {"name": "canary", "condition": "uri prefix \"/a\" or header \"X\" exact \"1\"",
       "rewrite": "/b", "timeout": "5s", "retries": {"attempts": 2, "perTryTimeout": "1s"},
       "mirror": {"destination": "log", "port": 81, "percent": 5},
       "headers": {"request": {"set": {"x-a": "1"}}},
       "weights": [{"destination": "shop", "version": "v1", "port": 80, "weight": 80},
                   {"destination": "shop", "version": "v2", "port": 80, "weight": 20}]},
      {"weights": [{"destination": "api.example.com"}]}]})") == json(R"({
    "hosts": ["shop.example.com"], "gateways": ["prod/gw"], "http": [
      {"name": "canary", "match": [{"uri": {"prefix": "/a"}}, {"headers": {"x": {"exact": "1"}}}],
       "rewrite": {"uri": "/b"}, "timeout": "5s",
       "retries": {"attempts": 2, "perTryTimeout": "1s"},
       "mirror": {"host": "log.prod.svc.cluster.local", "port": {"number": 81}},
       "mirrorPercentage": {"value": 5.0}, "headers": {"request": {"set": {"x-a": "1"}}},
       "route": [{"weight": 80, "destination": {"host": "shop.prod.svc.cluster.local",
                                                "subset": "v1", "port": {"number": 80}}},
                 {"weight": 20, "destination": {"host": "shop.prod.svc.cluster.local",
                                                "subset": "v2", "port": {"number": 80}}}]},
      {"name": "route-2", "route": [{"destination": {"host": "api.example.com"}}]}]})"));
}

TEST_CASE("virtual service: cookies become one expression over their header") {
  const auto matches = matches_of(R"(cookie "b.c" exact "2" and cookie "a" prefix "1")");
  const std::string regex = matches[0]["headers"]["cookie"]["regex"];
  for (const char* header : {"a=1; b.c=2", "b.c=2;a=1x", "z=0; a=1; y=0; b.c=2; q=3"}) {
    CAPTURE(header);
    CHECK(RE2::FullMatch(header, regex));
  }
  for (const char* header : {"a=1", "b.c=2", "a=1; b.c=22", "a=1; bxc=2", "aa=1; b.c=2"}) {
    CAPTURE(header);
    CHECK_FALSE(RE2::FullMatch(header, regex));
  }
}

TEST_CASE("virtual service: what must not be becomes withoutHeaders") {
  CHECK(matches_of(R"(not header "a" prefix "1" and port 80)") ==
        json(R"([{"withoutHeaders": {"a": {"prefix": "1"}}, "port": 80}])"));
  const auto both = matches_of(R"(not (header "a" exact "x.y" or header "a" prefix "z"))");
  const std::string regex = both[0]["withoutHeaders"]["a"]["regex"];
  CHECK(RE2::FullMatch("x.y", regex));
  CHECK(RE2::FullMatch("zz", regex));
  CHECK_FALSE(RE2::FullMatch("xay", regex));
}

TEST_CASE("virtual service: a match that asks twice for one part is refused with its column") {
  const auto made =
      virtual_service_spec(route(R"({"hosts": ["a"], "routes": [{"weights": [{"destination": "a"}],
                "condition": "uri prefix \"/a\" and uri regex \".*b\""}]})"),
                           k_place);
  REQUIRE_FALSE(made);
  CHECK(made.error().message.find("(column 21)") != std::string::npos);
}

TEST_CASE("http route: one Service a subset, gateways and Services as parents") {
  const auto made =
      http_route_spec(route(R"({"hosts": ["shop"], "gateways": ["mesh", "edge/main"], "routes": [
        {"condition": "uri prefix \"/a\" and header \"x\" prefix \"1\" and method exact \"GET\"",
         "rewrite": "/b", "timeout": "5s", "headers": {"response": {"add": {"x-b": "2"}}},
         "mirror": {"destination": "log", "port": 81, "percent": 5},
         "weights": [{"destination": "shop", "version": "v1", "port": 80, "weight": 80},
                     {"destination": "shop", "version": "v2", "port": 80, "weight": 20}]},
        {"weights": [{"destination": "shop", "port": 80}]}]})"),
                      k_place);
  REQUIRE_MESSAGE(made.has_value(), made.error().to_string());
  CHECK(*made == json(R"({
    "parentRefs": [{"group": "", "kind": "Service", "namespace": "prod", "name": "shop"},
                   {"group": "gateway.networking.k8s.io", "kind": "Gateway", "namespace": "edge",
                    "name": "main"}],
    "hostnames": ["shop"],
    "rules": [
      {"name": "route-1", "timeouts": {"request": "5s"},
       "matches": [{"path": {"type": "PathPrefix", "value": "/a"}, "method": "GET",
                    "headers": [{"name": "x", "type": "RegularExpression", "value": "1.*"}]}],
       "filters": [
         {"type": "ResponseHeaderModifier",
          "responseHeaderModifier": {"add": [{"name": "x-b", "value": "2"}]}},
         {"type": "URLRewrite",
          "urlRewrite": {"path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/b"}}},
         {"type": "RequestMirror", "requestMirror": {"percent": 5,
          "backendRef": {"group": "", "kind": "Service", "name": "log", "port": 81}}}],
       "backendRefs": [
         {"group": "", "kind": "Service", "name": "shop-v1", "port": 80, "weight": 80},
         {"group": "", "kind": "Service", "name": "shop-v2", "port": 80, "weight": 20}]},
      {"name": "route-2", "backendRefs": [
         {"group": "", "kind": "Service", "name": "shop", "port": 80, "weight": 1}]}]})"));
}

TEST_CASE("http route: refuses what it lacks, and an order that it would not keep") {
  const std::string lacks = refusal(R"({"hosts": ["shop"], "routes": [
      {"condition": "not header \"a\" present and port 80", "retries": {"attempts": 2},
       "weights": [{"destination": "shop", "port": 80}]},
      {"weights": [{"destination": "api.example.com", "port": 80}]}]})");
  CAPTURE(lacks);
  for (const char* part :
       {"has no `not`", "cannot ask for port 80", "no retries", "api.example.com is outside"}) {
    CHECK(lacks.find(part) != std::string::npos);
  }
  constexpr const char* k_weights = R"("weights": [{"destination": "shop", "port": 80}])";
  const auto order = [&](const std::string& first, const std::string& later) {
    return refusal(R"({"hosts": ["shop"], "routes": [{"condition": ")" + first + "\", " +
                   k_weights + R"(}, {"condition": ")" + later + "\", " + k_weights + "}]}");
  };
  CHECK(order(R"(header \"x\" present)", R"(uri prefix \"/a\")").find("would be taken before") !=
        std::string::npos);
  CHECK(order(R"(uri regex \"/a.*\")", "").find("would be taken before") != std::string::npos);
  CHECK(order(R"(uri prefix \"/a\" and header \"x\" present)", R"(uri prefix \"/a\")").empty());
  CHECK(order(R"(uri prefix \"/a\")", R"(uri prefix \"/bb\")").empty());
  CHECK(order(R"(uri exact \"/a\")", "").empty());
}
