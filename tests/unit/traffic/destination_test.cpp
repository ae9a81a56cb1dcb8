#include <doctest/doctest.h>

#include <kubist/traffic/destination.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::traffic;
using data::Json;
using testing::yaml;

namespace {

const Place k_shop{.ns = "shop"};

const char* const k_web = R"(
metadata: {name: web}
spec:
  ports:
    - {port: 80, targetPort: http}
    - {name: rpc, port: 9000, protocol: GRPC}
    - {port: 53, protocol: UDP}
    - {port: 5432, protocol: TCP}
  subsets:
    v2: {labels: {version: v2}, trafficPolicy: {loadBalancer: {simple: RANDOM}}}
    v1: {labels: {version: v1}}
)";

}  // namespace

TEST_CASE("destination: becomes a Service and a DestinationRule with its full name") {
  const auto web = read_destination(yaml(k_web));
  REQUIRE(web);
  CHECK(service_spec(*web) == yaml(R"(
selector: {app: web}
ports:
  - {name: http-80, port: 80, targetPort: http, protocol: TCP}
  - {name: rpc, port: 9000, targetPort: 9000, protocol: TCP, appProtocol: grpc}
  - {name: udp-53, port: 53, targetPort: 53, protocol: UDP}
  - {name: tcp-5432, port: 5432, targetPort: 5432, protocol: TCP}
)"));
  CHECK(destination_rule_spec(*web, k_shop) == yaml(R"(
host: web.shop.svc.cluster.local
subsets:
  - {name: v1, labels: {version: v1}}
  - {name: v2, labels: {version: v2}, trafficPolicy: {loadBalancer: {simple: RANDOM}}}
)"));
  CHECK(needs_destination_rule(*web) == std::vector<std::string>{"spec.subsets.v2.trafficPolicy"});
}

TEST_CASE("destination: in Services mode each subset selects its own pods") {
  const auto web = read_destination(yaml(k_web));
  REQUIRE(web);
  const Json spec = subset_service_spec(*web, web->subsets.at("v1"));
  CHECK(spec["selector"] == yaml("{app: web, version: v1}"));
  CHECK(spec["ports"] == service_spec(*web)["ports"]);
}

TEST_CASE("destination: application, selector and object name the pods and objects") {
  const auto app = read_destination(yaml("{metadata: {name: web}, spec: {application: shop-web}}"));
  CHECK(app->selector == yaml("{app: shop-web}"));
  CHECK(app->name == "web");
  const auto selected = read_destination(yaml(
      "{metadata: {name: web}, spec: {selector: {tier: a}, object: {name: front, borrow: true}}}"));
  CHECK(selected->selector == yaml("{tier: a}"));
  CHECK(selected->name == "front");
  CHECK(selected->borrowed);
}

TEST_CASE("destination: a port or a name that stands twice is refused, all faults at once") {
  const auto wrong = read_destination(yaml(R"(
metadata: {name: web}
spec: {ports: [{name: http, port: 80}, {name: http, port: 81}, {name: b, port: 80}]})"));
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().kind == util::ErrorKind::invalid);
  CHECK(wrong.error().message ==
        "Destination/web: spec.ports[].name: http stands there twice; "
        "spec.ports: port 80/TCP stands there twice");
  CHECK(wrong.error().details.size() == 2);
  CHECK(
      read_destination(yaml("{metadata: {name: dns}, spec: {ports: [{port: 53, protocol: UDP}, "
                            "{port: 53, protocol: TCP}]}}")));
}

TEST_CASE("destination: a subset that is still sent to is kept as it is live") {
  const auto web = read_destination(yaml(k_web));
  const Json live = yaml(R"({spec: {subsets: [{name: v0, labels: {version: v0, old: "1"}},
      {name: v1, labels: {version: x}}]}})");
  Json spec = destination_rule_spec(*web, k_shop);
  CHECK(keep_used_subsets(spec, &live, {"v0", "v1", "v9"}) == std::vector<std::string>{"v0"});
  CHECK(spec["subsets"].size() == 3);
  CHECK(spec["subsets"][2] == live["spec"]["subsets"][0]);
  CHECK(*find_subset({{"spec", spec}}, "v1") == yaml("{name: v1, labels: {version: v1}}"));
  CHECK(keep_used_subsets(spec, nullptr, {"v0"}).empty());
}

TEST_CASE("destination: what a VirtualService sends to, by short and full names, mirrors too") {
  const Json service = yaml(R"(
spec:
  http:
    - route:
        - {destination: {host: web, subset: v1}}
        - {destination: {host: web.shop.svc.cluster.local, subset: v2}, weight: 0}
        - {destination: {host: web.other.svc.cluster.local, subset: v3}}
      mirror: {host: web, subset: v4}
    - {route: [{destination: {host: web, subset: v1}}], mirrors: [{destination: {host: web, subset: v5}}]}
  tcp:
    - {route: [{destination: {host: db}}]}
)");
  const auto web = usage_by_virtual_service(service, "web.shop.svc.cluster.local", k_shop);
  CHECK(web.host);
  CHECK(web.subsets == std::vector<std::string>{"v1", "v2", "v4", "v5"});
  const auto db = usage_by_virtual_service(service, "db.shop.svc.cluster.local", k_shop);
  CHECK(db.host);
  CHECK(db.subsets.empty());
  CHECK_FALSE(usage_by_virtual_service(service, "api.shop.svc.cluster.local", k_shop).host);
  CHECK_FALSE(usage_by_virtual_service(Json::object(), "x", k_shop).host);
}

TEST_CASE("destination: subsets of any number are read within the patience of a test") {
  constexpr int k_many = 200'000;
  Json spec{{"host", "web"}};
  Json live = Json::object();
  Json service = Json::object();
  Json& sent = service["spec"]["http"][0]["route"];
  std::vector<std::string> names;
  for (int i = 0; i < k_many; ++i) {
    names.push_back(std::to_string(i));
    live["spec"]["subsets"].push_back({{"name", names.back()}});
    sent.push_back({{"destination", {{"host", "web"}, {"subset", names.back()}}}});
  }
  CHECK(usage_by_virtual_service(service, "web.shop.svc.cluster.local", k_shop).subsets == names);
  CHECK(keep_used_subsets(spec, &live, names) == names);
  CHECK(spec["subsets"] == live["spec"]["subsets"]);
}

TEST_CASE("destination: what an HTTPRoute sends to") {
  const Json route = yaml(R"(
spec:
  rules:
    - backendRefs: [{name: web-v1, port: 80}, {kind: Other, name: web-v2}]
      filters: [{type: RequestMirror, requestMirror: {backendRef: {name: web-v3}}}]
)");
  CHECK(http_route_uses(route, "web-v1"));
  CHECK_FALSE(http_route_uses(route, "web-v2"));
  CHECK(http_route_uses(route, "web-v3"));
  CHECK_FALSE(http_route_uses(Json::object(), "web"));
}
