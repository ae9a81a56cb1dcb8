// What is outside the mesh, behind the real gateway; and what stays when its object goes.
#include "backend.hpp"

using namespace traffic_test;

namespace {

std::string pod_address(Stage& stage, const std::string& name) {
  REQUIRE(eventually(
      [&] {
        return !text_of(stage.live("pods", name), {"status", "podIP"}).empty();
      },
      120));
  return text_of(stage.live("pods", name), {"status", "podIP"});
}

std::string answer(Stage& stage, const std::string& gateway) {
  return run_command({"curl", "-s", "-m", "5", "-H", cat("Host: ", host_of(stage)),
                      cat("http://", gateway, "/")})
      .out;
}

}  // namespace

TEST_CASE(
    "external: a route sends real requests to a service outside the mesh; Orphan leaves all") {
  Stage stage("external");
  stage.reconcile();
  put("home", {backend(stage.ns(), "outside")});
  const std::string host = cat("api.", stage.ns(), ".example.org");
  const std::string kept = "deletionPolicy: Orphan, ";
  stage.apply("ExternalService", "api",
              cat("{", kept, "hosts: [", host, "], ports: [{number: 8080}], resolution: STATIC, ",
                  "endpoints: [{address: ", pod_address(stage, "web-outside"), "}]}"));
  stage.apply("EntryGateway", "entry",
              cat("{", kept, "servers: [{port: 80, hosts: [", host_of(stage), "]}]}"));
  stage.apply("TrafficRoute", "web",
              cat("{", kept, "hosts: [", host_of(stage), "], gateways: [entry], exposeInternally: ",
                  "true, routes: [{weights: [{destination: ", host, ", port: 8080}]}]}"));
  must(stage.reconcile("120s"));
  const std::string gateway = gateway_address(stage);
  CHECK(eventually([&] { return answer(stage, gateway) == "outside"; }, 120));

  // Inside the mesh it has a Service's name.
  CHECK(stage.live("services", "web"));
  const auto route = stage.live("virtualservices.networking.istio.io", "web");
  REQUIRE(route);
  CHECK((*route)["spec"]["hosts"].dump().find(cat("web.", stage.ns(), ".svc.cluster.local")) !=
        std::string::npos);

  must(run_kubist({"delete", "kroute/web", "kgw/entry", "kext/api", "-n", stage.project()}));
  const auto orphan = stage.live("virtualservices.networking.istio.io", "web");
  REQUIRE(orphan);
  CHECK((*orphan)["spec"] == (*route)["spec"]);
  CHECK(orphan->dump().find("kubist") == std::string::npos);
  CHECK(stage.live("serviceentries.networking.istio.io", "api"));
  CHECK(stage.live("gateways.networking.istio.io", "entry"));
  CHECK(answer(stage, gateway) == "outside");
}
