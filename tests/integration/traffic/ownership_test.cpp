// What the traffic kinds keep on a cluster with Istio's kinds: whose it is, what is written and
// when.
#include "stage.hpp"

using namespace traffic_test;

namespace {

/// A destination with two versions, a gateway and a route 80 to 20, with pods behind both.
void set_up_owned(Stage& stage) {
  stage.apply("Destination", "web", k_destination);
  stage.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [shop.example.com]}]}");
  stage.apply("TrafficRoute", "web", route_spec(80, 20));
  // No pods yet: the route has to wait. On a busy machine the first run's time ends before it.
  REQUIRE(eventually([&] {
    stage.reconcile("2s");
    return reason(stage.node("trafficroutes", "web"), "Ready") == "SubsetWithoutPods" &&
           condition(stage.node("entrygateways", "entry"), "Ready") == "True";
  }));
}

int weight(Stage& stage, int index) {
  const auto live = stage.live("virtualservices.networking.istio.io", "web");
  return live ? (*live)["spec"]["http"][0]["route"][index].value("weight", 0) : -1;
}

void edit(Stage& stage, const std::string& type, const std::string& name,
          const std::string& patch) {
  must(kubectl("home", {"patch", type, name, "-n", stage.ns(), "--type=json", "-p", patch}));
}

const char* const k_virtual_service = "virtualservices.networking.istio.io";
const char* const k_rule = "destinationrules.networking.istio.io";

}  // namespace

TEST_CASE(
    "traffic: a route waits for pods, is kept without a write, and goes before what it needs") {
  Stage stage("kept");
  set_up_owned(stage);
  CHECK_FALSE(stage.live(k_virtual_service, "web"));
  CHECK(reason(stage.node("trafficroutes", "web"), "Ready") == "SubsetWithoutPods");
  CHECK(condition(stage.node("destinations", "web"), "Ready") == "True");
  CHECK(condition(stage.node("entrygateways", "entry"), "Ready") == "True");

  stage.ready_pod("web-1", {{"app", "web"}, {"version", "v1"}});
  stage.ready_pod("web-2", {{"app", "web"}, {"version", "v2"}});
  Audit audit("home");
  must(stage.reconcile());
  const auto route = stage.node("trafficroutes", "web");
  CHECK(condition(route, "Ready") == "True");
  CHECK(text_of(route, {"status", "mode"}) == "VirtualService");
  CHECK(text_of(route, {"status", "weights"}) == "web v1 80 %, web v2 20 %");
  CHECK((*route)["status"]["routes"][0]["weights"][1]["percent"] == 20);
  CHECK(weight(stage, 0) == 80);
  CHECK(weight(stage, 1) == 20);
  const auto service = stage.live("service", "web");
  REQUIRE(service);
  CHECK((*service)["spec"]["selector"] == Json{{"app", "web"}});
  CHECK(text_of(service, {"metadata", "annotations", "kubist.io/owner"})
            .ends_with(cat("/Destination/", stage.project(), "/web")));
  CHECK((*stage.node("destinations", "web"))["status"]["subsets"][0]["readyPods"] == 1);

  const auto before = audit.writes(stage.world().user()).size();
  CHECK(before > 0);
  must(stage.reconcile());
  CHECK(audit.writes(stage.world().user()).size() == before);

  for (const char* kind : {"trafficroutes", "destinations", "entrygateways"}) {
    must(kubectl("home", {"delete", cat(kind, ".kubist.io"), "--all", "-n", stage.project(),
                          "--wait=false"}));
  }
  Audit removal("home");
  must(stage.reconcile());
  std::vector<std::string> deleted;
  for (const AuditedWrite& write : removal.writes(stage.world().user())) {
    if (write.verb == "delete" && write.ns == stage.ns()) {
      deleted.push_back(write.resource);
    }
  }
  CHECK(deleted ==
        std::vector<std::string>{"virtualservices", "gateways", "destinationrules", "services"});
  for (const char* kind : {"trafficroutes", "destinations", "entrygateways"}) {
    CHECK(
        must(kubectl("home", {"get", cat(kind, ".kubist.io"), "-n", stage.project(), "-o", "name"}))
            .empty());
  }
}

TEST_CASE("traffic: what somebody else changes is put back, or only reported") {
  Stage stage("drift");
  set_up_owned(stage);
  stage.ready_pod("web-1", {{"app", "web"}, {"version", "v1"}});
  stage.ready_pod("web-2", {{"app", "web"}, {"version", "v2"}});
  must(stage.reconcile());

  edit(stage, k_virtual_service, "web",
       R"([{"op":"replace","path":"/spec/http/0/route/0/weight","value":1},
           {"op":"add","path":"/spec/exportTo","value":["."]}])");
  edit(stage, k_rule, "web", R"([{"op":"remove","path":"/spec/subsets/1"}])");
  must(stage.reconcile());
  CHECK(weight(stage, 0) == 80);
  CHECK_FALSE((*stage.live(k_virtual_service, "web"))["spec"].contains("exportTo"));
  CHECK((*stage.live(k_rule, "web"))["spec"]["subsets"].size() == 2);
  must(kubectl("home", {"delete", k_virtual_service, "web", "-n", stage.ns()}));
  must(stage.reconcile());
  CHECK(weight(stage, 0) == 80);

  stage.apply("TrafficRoute", "web", route_spec(80, 20, ", drift: Report"));
  must(stage.reconcile());
  CHECK(condition(stage.node("trafficroutes", "web"), "Drifted") == "False");
  edit(stage, k_virtual_service, "web",
       R"([{"op":"replace","path":"/spec/http/0/route/0/weight","value":1}])");
  for (int run = 0; run < 2; ++run) {
    must(stage.reconcile());
    const auto route = stage.node("trafficroutes", "web");
    CHECK(condition(route, "Drifted") == "True");
    CHECK(message(route, "Drifted").find("kubectl") != std::string::npos);
    CHECK(text_of(route, {"status", "weights"}) == "web v1 4.8 %, web v2 95.2 %");
    CHECK(weight(stage, 0) == 1);
  }
  stage.apply("TrafficRoute", "web", route_spec(50, 50));
  must(stage.reconcile());
  CHECK(condition(stage.node("trafficroutes", "web"), "Drifted") == "False");
  CHECK(weight(stage, 0) == 50);
}
