// Where the selector of an EntryGateway finds pods: what a member writes is no way into namespaces
// that it cannot see.
#include <set>

#include "release_site.hpp"

using namespace site;

namespace {

const char* const k_shops_account = "system:serviceaccount:shop:kubist-project";

struct GatewaySite : Shop {
  explicit GatewaySite(const Json& project = Json::object()) : Shop(project) {
    for (const auto& [ns, address] :
         {std::pair{"bank", "203.0.113.1"}, std::pair{"istio-system", "203.0.113.2"},
          std::pair{"shop-dev", "203.0.113.3"}}) {
      gateway(ns, address);
    }
  }
  /// A gateway's pod behind a load balancer.
  void gateway(const std::string& ns, const std::string& address) {
    if (home->get("namespaces", ns).is_null()) {
      home->put(plain("Namespace", "", ns));
    }
    Json pod = plain("Pod", ns, "gateway");
    pod["metadata"]["labels"] = {{"gateway", "mine"}};
    pod["spec"] = {{"containers", Json::array({{{"name", "main"}, {"image", "x"}}})}};
    home->put(pod);
    Json service = plain("Service", ns, "gateway");
    service["spec"] = {{"selector", {{"gateway", "mine"}}}, {"ports", {{{"port", 80}}}}};
    home->put(service);
    home->patch("services", "gateway", ns, kube::PatchType::merge,
                {{"status", {{"loadBalancer", {{"ingress", {{{"ip", address}}}}}}}}}, "status");
  }
  Json entry() {
    apply("EntryGateway", "entry",
          "{selector: {gateway: mine}, servers: [{port: 80, hosts: [web.example.com]}]}");
    settle();
    return get("entrygateways", "shop", "entry");
  }
  /// Where pods with the gateway's labels were looked for, and as whom: "NAMESPACE ACCOUNT".
  std::string looked_at() const {
    std::set<std::string> all;
    for (const LoggedRequest& each : home->log()) {
      if (each.resource == "pods" && each.target.find("gateway%3Dmine") != std::string::npos) {
        all.insert(cat(each.ns, ' ', each.as));
      }
    }
    return util::join({all.begin(), all.end()}, "; ");
  }
};

Json addresses_in(const Json& live) { return live["status"].value("addresses", Json()); }
Json allow_gateways(const std::vector<std::string>& namespaces) {
  return {{"allow", {{"gateways", namespaces}}}};
}

}  // namespace

TEST_CASE("gateways: a selector finds pods of its own namespace and Istio's, of no other's") {
  GatewaySite s;
  CHECK(addresses_in(s.entry()) == Json::array({"203.0.113.2", "203.0.113.3"}));
  CHECK(s.looked_at() == cat("istio-ingress ; istio-system ; shop-dev ", k_shops_account));
}

TEST_CASE("gateways: where else they run is an administrator's word") {
  SUBCASE("a namespace") {
    GatewaySite s(allow_gateways({"bank"}));
    CHECK(addresses_in(s.entry()) == Json::array({"203.0.113.1", "203.0.113.3"}));
  }
  SUBCASE("all") {
    GatewaySite s(allow_gateways({"*"}));
    CHECK(addresses_in(s.entry()) == Json::array({"203.0.113.1", "203.0.113.2", "203.0.113.3"}));
  }
  SUBCASE("none") {
    GatewaySite s(allow_gateways({}));
    CHECK(addresses_in(s.entry()) == Json::array({"203.0.113.3"}));
  }
}

TEST_CASE("gateways: where no pod is found, the condition names the namespaces and the grant") {
  GatewaySite s(allow_gateways({}));
  s.home->remove("pods", "gateway", "shop-dev");
  const Json live = s.entry();
  CHECK(condition(live) == "True");
  CHECK(condition(live, "HasGatewayPods") == "False");
  CHECK(message(live, "HasGatewayPods") ==
        "no pod in namespace shop-dev has the labels gateway=mine; spec.allow.gateways of the "
        "Project or the Root says where else gateways run");
  CHECK(addresses_in(live).is_null());
}

TEST_CASE("gateways: what may not be listed is said, and where") {
  GatewaySite s(allow_gateways({"bank", "istio-system"}));
  SUBCASE("pods") {
    s.home->remove("pods", "gateway", "shop-dev");
    s.home->fail("GET /api/v1/namespaces/bank/pods*", 403, 100);
    s.home->fail("GET /api/v1/namespaces/istio-system/pods*", 403, 100);
    const Json live = s.entry();
    CHECK(condition(live) == "True");
    CHECK(condition(live, "HasGatewayPods") == "Unknown");
    CHECK(message(live, "HasGatewayPods") ==
          "the gateway's pods may not be listed in namespaces bank, istio-system");
  }
  SUBCASE("Services") {
    s.home->fail("GET /api/v1/namespaces/istio-system/services*", 403, 100);
    const Json live = s.entry();
    CHECK(condition(live, "HasGatewayPods") == "True");
    CHECK(message(live, "HasGatewayPods") ==
          "pods with the labels gateway=mine; the Services before them may not be listed in "
          "namespace istio-system");
    CHECK(addresses_in(live) == Json::array({"203.0.113.1", "203.0.113.3"}));
  }
}

TEST_CASE("gateways: a release reads the counters of no other pods") {
  GatewaySite s;
  s.entry();
  s.apply("TrafficRoute", "web",
          "{hosts: [web.example.com], gateways: [entry], routes: [{weights: [{destination: web, "
          "version: v1}]}]}");
  s.apply("CanaryRelease", "web",
          "{destination: web, stable: v1, canary: v2, routes: [web], interval: 1s, weights: [20], "
          "policies: [{name: Metric, parameters: {metrics: [{name: request-success-rate, "
          "thresholdRange: {min: 95}}]}}]}");
  s.forget();
  for (int looks = 0; looks < 20 && s.looked_at().empty(); ++looks) {
    s.look();
  }
  CHECK(s.looked_at() == cat("istio-ingress ; istio-system ; shop-dev ", k_shops_account));
  for (const LoggedRequest& each : s.home->log()) {
    CHECK_MESSAGE(each.target.find("/bank/") == std::string::npos, each.target);
  }
}

TEST_CASE("gateways: what a run has just read of them at home is good for the next run") {
  GatewaySite s;
  s.entry();
  for (const char* name : {"web", "too"}) {
    s.apply("TrafficRoute", name,
            cat("{hosts: [", name,
                ".example.com], gateways: [entry], routes: [{weights: [{destination: web, version: "
                "v1}]}]}"));
    s.apply("CanaryRelease", name,
            cat("{destination: web, stable: v1, canary: v2, routes: [", name,
                "], interval: 1s, weights: [20], policies: [{name: Metric, parameters: {metrics: "
                "[{name: request-success-rate, thresholdRange: {min: 95}}]}}]}"));
  }
  const auto lists = [&](const std::string& name) {
    s.forget();
    s.look(name);
    return !s.looked_at().empty();
  };
  bool measured = false;
  for (int looks = 0; looks < 20 && !measured; ++looks) {
    measured = lists("too");
  }
  REQUIRE(measured);
  bool shared = false;  // a look may share what was read before, or take too long to be shared
  for (int looks = 0; looks < 200 && !shared; ++looks) {
    shared = lists("web") && !lists("too");
  }
  CHECK(shared);
}
