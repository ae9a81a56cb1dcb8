#include "support.hpp"

using namespace kubist;
using namespace kubist::testing;
using namespace kubist::traffic;

namespace {

std::string fault_of(std::string_view spec) {
  const auto read = try_route(spec);
  return read ? "" : read.error().to_string();
}

}  // namespace

TEST_CASE("route: weights are shares of their sum") {
  const Route two = route(R"({"hosts": ["shop"], "routes": [{"weights": [
      {"destination": "shop", "version": "v1", "weight": 8},
      {"destination": "shop", "version": "v2", "weight": 2}]}]})");
  CHECK(two.rules[0].name == "route-1");
  CHECK(shares(two.rules[0]) == std::vector<double>{80, 20});
  const Route lone = route(R"({"hosts": ["shop"], "routes": [{"weights": [
      {"destination": "shop", "weight": 0}]}]})");
  CHECK(shares(lone.rules[0]) == std::vector<double>{100});
  CHECK(percent_text(80) == "80 %");
  CHECK(percent_text(100.0 / 3) == "33.3 %");
}

TEST_CASE("route: hosts and gateways as Istio names them") {
  const Route inside = route(R"({"exposeInternally": true, "gateways": ["gw"], "routes": [
      {"weights": [{"destination": "shop"}]}]})");
  CHECK(served_hosts(inside, k_place) == std::vector<std::string>{"shop.prod.svc.cluster.local"});
  CHECK(served_gateways(inside, k_place) == std::vector<std::string>{"prod/gw", "mesh"});
  const Route outside = route(R"({"gateways": ["edge/main"], "routes": [
      {"weights": [{"destination": "shop"}]}]})");
  CHECK(served_hosts(outside, k_place) == std::vector<std::string>{"*"});
  CHECK(served_gateways(outside, k_place) == std::vector<std::string>{"edge/main"});
}

TEST_CASE("route: faults name their field, all of them at once") {
  const std::string faults = fault_of(R"({"hosts": [], "routes": [
      {"name": "a", "condition": "uri prefix /a", "weights": [{"destination": "x", "weight": -1},
                                                              {"destination": "y", "weight": 2}]},
      {"name": "a", "condition": "port 1", "weights": [{"destination": "x", "weight": 0},
                                                       {"destination": "y"}]},
      {"weights": []}, {"weights": [{"destination": "x"}]}]})");
  CAPTURE(faults);
  for (const char* part : {"7 errors in TrafficRoute/shop", "traffic within the mesh needs a host",
                           "spec.routes[0].condition: the condition does not parse at column 12",
                           "spec.routes[0].weights[0].weight: is -1",
                           "spec.routes[1].name: a second route has the name a",
                           "spec.routes[1].weights: all weights are 0",
                           "spec.routes[2].weights: there is no destination",
                           "spec.routes[3]: is never reached: route-3 takes every request"}) {
    CAPTURE(part);
    CHECK(faults.find(part) != std::string::npos);
  }
  CHECK(fault_of(R"({"hosts": ["a"], "routes": []})").find("there is no route") !=
        std::string::npos);
}

TEST_CASE("route: headers that a gateway would refuse, or that read its files, are refused") {
  const auto fault = [](const std::string& changes) {
    return fault_of(
        R"({"hosts": ["a"], "routes": [{"weights": [{"destination": "x"}], "headers": )" + changes +
        "}]}");
  };
  for (const char* value :
       {"%NO_SUCH_COMMAND%", "100%", "%REQ(a%", "%REQ(a?b?c)%", "a\\nb",
        "%FILE_CONTENT(/var/run/secrets/tokens/istio-token)%", "%ENVIRONMENT(POD_NAME)%"}) {
    CAPTURE(value);
    CHECK(fault(std::string(R"({"request": {"set": {"x": ")") + value + "\"}}}")
              .find("spec.routes[0].headers.request: the value of x has") != std::string::npos);
  }
  for (const char* name : {"", ":path", "a b", "a\\nb"}) {
    CAPTURE(name);
    CHECK(fault(std::string(R"({"response": {"add": {")") + name + R"(": "v"}}})")
              .find("is no name of a header") != std::string::npos);
  }
  CHECK(fault(R"({"request": {"remove": ["Host"]}})").find("cannot be taken away") !=
        std::string::npos);
  CHECK(fault_of(R"({"hosts": ["a"], "routes": [{"weights": [{"destination": "x",
                     "setCookie": "%NO%"}]}]})")
            .find("weights[0].setCookie: is no cookie") != std::string::npos);
  CHECK(fault_of(R"({"hosts": ["a"], "routes": [{"rewrite": "/a\nb",
                     "weights": [{"destination": "x"}]}]})")
            .find("routes[0].rewrite: has a control character") != std::string::npos);
  CHECK(
      fault(R"({"request": {"set": {"x-for": "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%, %REQ(x-a)%",
                 "x-rate": "100%%", "x-name": "Müller"}, "remove": ["x-b"]}})") == "");
}
