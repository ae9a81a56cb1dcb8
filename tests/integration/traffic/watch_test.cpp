// reconcile --watch and what the traffic kinds keep: it comes back without waiting for the next
// resync.
#include <csignal>

#include "stage.hpp"

using namespace traffic_test;

TEST_CASE("traffic: with --watch, what somebody changes or deletes of ours comes back at once") {
  Stage stage("watch", {{"mode", "Ignore"}});
  must(run_kubist({"reconcile", "Project/" + stage.project()}));
  stage.ready_pod("web-1", {{"app", "web"}, {"version", "v1"}});
  stage.ready_pod("web-2", {{"app", "web"}, {"version", "v2"}});
  stage.apply("Destination", "web", k_destination);
  stage.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [shop.example.com]}]}");
  stage.apply("TrafficRoute", "web", route_spec(80, 20));
  Background watch({"reconcile", "Project/" + stage.project(), "--watch"});
  const auto weight = [&] {
    const auto live = stage.live("virtualservices.networking.istio.io", "web");
    return live ? (*live)["spec"]["http"][0]["route"][0].value("weight", 0) : 0;
  };
  REQUIRE_MESSAGE(eventually([&] {
                    return weight() == 80 &&
                           condition(stage.node("kroute", "web"), "Ready") == "True";
                  }),
                  watch.output());

  must(kubectl("home", {"patch", "virtualservices.networking.istio.io", "web", "-n", stage.ns(),
                        "--type=json", "-p",
                        R"([{"op":"replace","path":"/spec/http/0/route/0/weight","value":1}])"}));
  CHECK_MESSAGE(eventually([&] { return weight() == 80; }), watch.output());
  for (const char* type :
       {"service", "destinationrules.networking.istio.io", "gateways.networking.istio.io"}) {
    const std::string name = std::string(type).starts_with("gateways") ? "entry" : "web";
    must(kubectl("home", {"delete", type, name, "-n", stage.ns()}));
    CHECK_MESSAGE(eventually([&] { return stage.live(type, name).has_value(); }), type, '\n',
                  watch.output());
  }
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}
