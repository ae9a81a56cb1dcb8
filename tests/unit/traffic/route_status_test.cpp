#include <kubist/traffic/route_status.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::testing;
using data::Json;

TEST_CASE("route status: each rule has its shares in percent, and its condition") {
  const char* const spec = R"({"hosts": ["a.example.com"], "gateways": ["shop"], "routes": [
    {"name": "new", "condition": "uri exact \"/new\"",
     "weights": [{"destination": "web", "version": "v2", "port": 80}]},
    {"weights": [{"destination": "web", "version": "v1", "weight": 2},
                 {"destination": "api", "weight": 1}]}]})";
  const Json status = traffic::route_status(route(spec), json(spec)["routes"]);
  CHECK(status == json(R"([
    {"name": "new", "condition": "uri exact \"/new\"",
     "weights": [{"destination": "web", "version": "v2", "port": 80, "weight": 100,
                  "percent": 100.0}]},
    {"name": "route-2",
     "weights": [{"destination": "web", "version": "v1", "weight": 2, "percent": 66.67},
                 {"destination": "api", "weight": 1, "percent": 33.33}]}])"));
  CHECK(traffic::weights_text(status) == "web v2 100 %; web v1 66.7 %, api 33.3 %");
}

TEST_CASE("route status: a live VirtualService tells the same, whoever wrote it") {
  const Json live = yaml(R"(
spec:
  http:
  - name: first
    route:
    - destination: {host: web.prod.svc.cluster.local, subset: v1, port: {number: 80}}
      weight: 80
    - destination: {host: elsewhere.example.com}
      weight: 20
  - route:
    - destination: {host: api}
)");
  CHECK(traffic::live_route_status(live, k_place) == json(R"([
    {"name": "first",
     "weights": [{"destination": "web", "version": "v1", "port": 80, "weight": 80, "percent": 80.0},
                 {"destination": "elsewhere.example.com", "weight": 20, "percent": 20.0}]},
    {"name": "route-2", "weights": [{"destination": "api", "weight": 100, "percent": 100.0}]}])"));
  CHECK(traffic::live_route_status(Json::object(), k_place) == Json::array());
}
