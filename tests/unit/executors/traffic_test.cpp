// Destinations, gateways and routes: kept without a write, repaired or only reported, never
// somebody else's.
#include "release_site.hpp"

using namespace site;

namespace {

const char* const k_vs = "virtualservices.networking.istio.io";
const char* const k_rule = "destinationrules.networking.istio.io";

std::string split(int first, int second, const std::string& more = "") {
  return cat(
      "{hosts: [web.example.com], gateways: [entry], routes: [{weights: [{destination: web, "
      "version: v1, "
      "weight: ",
      first, "}, {destination: web, version: v2, weight: ", second, "}]}]", more, "}");
}

struct RouteSite : Shop {
  RouteSite() {
    apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [web.example.com]}]}");
    apply("TrafficRoute", "web", split(80, 20));
    settle();
  }
  int weight(int index) const {
    const Json found = live(k_vs, "web");
    return found.is_null() ? -1 : found["spec"]["http"][0]["route"][index].value("weight", 0);
  }
  void edit(const char* type, const Json& patch) {
    home->patch(type, "web", "shop-dev", kube::PatchType::json, patch);
  }
  Json own_route() const { return get("trafficroutes", "shop", "web"); }
};

const Json k_weight_1 =
    Json::array({{{"op", "replace"}, {"path", "/spec/http/0/route/0/weight"}, {"value", 1}}});

}  // namespace

TEST_CASE("routes: a route is live with its weights, and kept without a write") {
  RouteSite s;
  CHECK(condition(s.own_route()) == "True");
  CHECK(s.own_route()["status"]["mode"] == "VirtualService");
  CHECK(s.weights() == "web v1 80 %, web v2 20 %");
  CHECK(s.weight(0) == 80);
  CHECK(s.weight(1) == 20);
  CHECK(s.live("services", "web")["spec"]["selector"] == Json{{"app", "web"}});
  CHECK(s.get("destinations", "shop", "web")["status"]["subsets"][0]["readyPods"] == 1);
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);
}

TEST_CASE("routes: one waits for the pods of its versions") {
  Shop s;
  s.home->remove("pods", "web-v2", "shop-dev");
  s.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [web.example.com]}]}");
  s.apply("TrafficRoute", "web", split(80, 20));
  s.settle();
  CHECK(s.live(k_vs, "web").is_null());
  CHECK(reason(s.get("trafficroutes", "shop", "web")) == "SubsetWithoutPods");
  CHECK(condition(s.get("destinations", "shop", "web")) == "True");
  s.ready_pod("web-v2", {{"app", "web"}, {"version", "v2"}});
  s.settle();
  CHECK(!s.live(k_vs, "web").is_null());
}

TEST_CASE("routes: what somebody else changes is put back") {
  RouteSite s;
  s.edit(k_vs, k_weight_1);
  s.edit(k_vs, Json::array({{{"op", "add"}, {"path", "/spec/exportTo"}, {"value", {"."}}}}));
  s.edit(k_rule, Json::array({{{"op", "remove"}, {"path", "/spec/subsets/1"}}}));
  s.settle();
  CHECK(s.weight(0) == 80);
  CHECK_FALSE(s.live(k_vs, "web")["spec"].contains("exportTo"));
  CHECK(s.live(k_rule, "web")["spec"]["subsets"].size() == 2);
  s.home->remove(k_vs, "web", "shop-dev");
  s.settle();
  CHECK(s.weight(0) == 80);
}

TEST_CASE("routes: drift that is only to be reported is, and goes with the next wish") {
  RouteSite s;
  s.apply("TrafficRoute", "web", split(80, 20, ", drift: Report"));
  s.settle();
  CHECK(condition(s.own_route(), "Drifted") == "False");
  s.edit(k_vs, k_weight_1);
  for (int runs = 0; runs < 2; ++runs) {
    s.settle();
    CHECK(condition(s.own_route(), "Drifted") == "True");
    CHECK(message(s.own_route(), "Drifted").find("kubectl") != std::string::npos);
    CHECK(s.weight(0) == 1);
  }
  s.apply("TrafficRoute", "web", split(50, 50));
  s.settle();
  CHECK(condition(s.own_route(), "Drifted") == "False");
  CHECK(s.weight(0) == 50);
}

TEST_CASE("routes: an object that somebody else made is not touched") {
  Shop s;
  Json foreign = plain("Service", "shop-dev", "other");
  foreign["spec"] = {{"selector", {{"app", "x"}}}, {"ports", Json::array({{{"port", 81}}})}};
  s.home->put(foreign);
  const Json before = s.live("services", "other");
  s.apply("Destination", "other", "{ports: [{port: 80}], subsets: {v1: {labels: {version: v1}}}}");
  s.settle();
  CHECK(reason(s.get("destinations", "shop", "other")) == "ObjectExists");
  CHECK(condition(s.get("destinations", "shop", "web")) == "True");
  CHECK(s.live("services", "other") == before);
  CHECK(s.live(k_rule, "other").is_null());
}

TEST_CASE("routes: what has another's mark is left where it is") {
  Shop s;
  s.settle();
  s.home->patch("services", "web", "shop-dev", kube::PatchType::merge,
                {{"metadata", {{"annotations", {{"kubist.io/owner", "somebody/else"}}}}}});
  s.home->remove("destinations.kubist.io", "web", "shop");
  s.settle();
  CHECK(!s.live("services", "web").is_null());
  CHECK(s.live(k_rule, "web").is_null());
  CHECK(s.get("destinations", "shop", "web").is_null());
}

TEST_CASE("routes: a subset stays while a live route sends to it") {
  RouteSite s;
  s.apply("Destination", "web",
          "{ports: [{port: 80, targetPort: 8080}], subsets: {v1: {labels: {version: v1}}}}");
  s.settle();
  CHECK(s.live(k_rule, "web")["spec"]["subsets"].size() == 2);
  CHECK(s.get("destinations", "shop", "web")["status"]["subsets"][1]["keptFor"] ==
        Json::array({"VirtualService/web"}));
  s.apply("TrafficRoute", "web",
          "{hosts: [web.example.com], gateways: [entry], routes: [{weights: [{destination: web, "
          "version: v1}]}]}");
  s.settle();
  s.settle();
  CHECK(s.live(k_rule, "web")["spec"]["subsets"].size() == 1);
}

TEST_CASE("routes: a Destination stays while a route uses it, and goes after it") {
  RouteSite s;
  s.home->remove("destinations.kubist.io", "web", "shop");
  s.settle();
  CHECK(!s.live(k_rule, "web").is_null());
  s.home->remove("trafficroutes.kubist.io", "web", "shop");
  s.settle();
  s.settle();
  CHECK(s.live(k_rule, "web").is_null());
  CHECK(s.live("services", "web").is_null());
}

TEST_CASE("routes: where Istio's kinds are not served it says so, and goes on when they come") {
  Shop s;
  for (const char* plural : {"virtualservices", "destinationrules"}) {
    s.home->remove("customresourcedefinitions", cat(plural, ".networking.istio.io"));
  }
  s.open();
  s.apply("TrafficRoute", "web",
          "{hosts: [web.example.com], mode: VirtualService, routes: [{weights: [{destination: web, "
          "version: v1}]}]}");
  s.settle();
  CHECK(reason(s.get("trafficroutes", "shop", "web")) == "NotServed");
  s.home->put(istio_crd("DestinationRule", "destinationrules"));
  s.home->put(istio_crd("VirtualService", "virtualservices"));
  s.settle();
  CHECK(condition(s.get("trafficroutes", "shop", "web")) == "True");
}

TEST_CASE("routes: a borrowed VirtualService gets weights, and nothing else") {
  RouteSite s;
  s.home->put(yaml(R"({apiVersion: networking.istio.io/v1, kind: VirtualService,
      metadata: {name: theirs, namespace: shop-dev}, spec: {hosts: [theirs.example.com],
      gateways: [entry], http: [{name: main, timeout: 7s, route: [
        {destination: {host: web, subset: v1}, weight: 100},
        {destination: {host: web, subset: v2}, weight: 0}]}]}})"));
  s.apply("TrafficRoute", "lent",
          "{hosts: [theirs.example.com], gateways: [entry], routes: [{name: main, weights: "
          "[{destination: web, version: "
          "v1, weight: 70}, {destination: web, version: v2, weight: 30}]}], object: {name: theirs, "
          "borrow: true}}");
  s.settle();
  const Json theirs = s.live(k_vs, "theirs");
  CHECK(theirs["spec"]["http"][0]["route"][0]["weight"] == 70);
  CHECK(theirs["spec"]["http"][0]["timeout"] == "7s");
  CHECK_FALSE(theirs["metadata"].contains("annotations"));
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);
  s.home->remove("trafficroutes.kubist.io", "lent", "shop");
  s.settle();
  CHECK(!s.live(k_vs, "theirs").is_null());
}

TEST_CASE("routes: one for the mesh holds for its own namespace and the gateways, unless granted") {
  const auto exported = [](const Json& project, const std::string& spec) {
    Shop s(project);
    s.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [web.example.com]}]}");
    s.apply("TrafficRoute", "web",
            cat("{", spec,
                ", routes: [{weights: [{destination: web, "
                "version: v1}]}]}"));
    s.settle();
    const Json live = s.live(k_vs, "web");
    REQUIRE_MESSAGE(!live.is_null(), message(s.get("trafficroutes", "shop", "web")));
    return live["spec"].value("exportTo", Json());
  };
  const auto allow = [](const std::vector<std::string>& namespaces) {
    return Json{{"allow", {{"exportTo", namespaces}}}};
  };
  const Json none = Json::object();
  const std::string foreign = "hosts: [other.shop-x.svc.cluster.local]";
  CHECK(exported(none, foreign) == Json::array({"."}));
  CHECK(exported(none, foreign + ", gateways: [mesh, entry]") ==
        Json::array({".", "istio-system"}));
  CHECK(exported(allow({"shop-x"}), foreign) == Json::array({".", "shop-x"}));
  CHECK(exported(allow({"*"}), foreign).is_null());
  // Its own Services', and what no sidecar follows.
  CHECK(exported(none, "hosts: [web]").is_null());
  CHECK(exported(none, "hosts: [web], exposeInternally: true").is_null());
  CHECK(exported(none, "hosts: [web.example.com], gateways: [entry]").is_null());
}

TEST_CASE("external services: one holds for its own namespace and the gateways, unless granted") {
  Shop s;
  const auto exported = [&] {
    s.apply("ExternalService", "api", "{hosts: [api.example.org], ports: [{number: 443}]}");
    s.settle();
    return s.live("serviceentries.networking.istio.io", "api")["spec"].value("exportTo", Json());
  };
  CHECK(exported() == Json::array({"."}));
  s.apply("TrafficRoute", "web", split(80, 20));
  CHECK(exported() == Json::array({".", "istio-system"}));
  // Anybody can write a name: pods of that namespace are not to follow for it.
  s.apply("TrafficRoute", "lure",
          "{hosts: [lure.example.com], gateways: [mesh, bank/entry], routes: [{weights: "
          "[{destination: web, version: v1}]}]}");
  CHECK(exported() == Json::array({".", "istio-system"}));
  s.put("Project", "", "shop", {{"allow", {{"exportTo", {"shop-x"}}}}});
  CHECK(exported() == Json::array({".", "istio-system", "shop-x"}));
  s.put("Project", "", "shop", {{"allow", {{"exportTo", {"*"}}}}});
  CHECK(exported().is_null());
}

TEST_CASE("routes: hosts that neither Project nor Root allow are refused, where they name any") {
  Shop s(Json{{"allow", {{"hosts", {"*.shop.example.com"}}}}});
  const auto why = [&](const char* kind, const char* plural, const std::string& spec) {
    s.apply(kind, "it", spec);
    s.settle();
    const Json live = s.get(plural, "shop", "it");
    return reason(live, "Stalled") + ' ' + message(live);
  };
  const std::string routes = ", routes: [{weights: [{destination: web, version: v1}]}]}";
  const auto route = [&](const std::string& hosts) {
    return why("TrafficRoute", "trafficroutes", cat("{hosts: [", hosts, "]", routes));
  };
  CHECK(route("bank.example.com").starts_with("HostNotAllowed "));
  CHECK(route("bank.example.com").find("the host bank.example.com") != std::string::npos);
  CHECK(route("web.shop-x.svc.cluster.local").starts_with("HostNotAllowed "));
  CHECK_FALSE(route("a.shop.example.com, web").starts_with("HostNotAllowed "));
  CHECK(why("EntryGateway", "entrygateways", "{servers: [{port: 80}]}")
            .starts_with("HostNotAllowed "));
  CHECK(why("EntryGateway", "entrygateways", "{servers: [{port: 80, hosts: [shop-x/*.com]}]}")
            .starts_with("HostNotAllowed "));
  CHECK_FALSE(
      why("EntryGateway", "entrygateways", "{servers: [{port: 80, hosts: ['*.shop.example.com']}]}")
          .starts_with("HostNotAllowed "));
  CHECK(why("ExternalService", "externalservices",
            "{hosts: [api.example.org], ports: [{number: 443}]}")
            .starts_with("HostNotAllowed "));
}

TEST_CASE("external services: no gateway is sent to itself, nor to hosts that are not allowed") {
  Shop s(Json{{"allow", {{"hosts", {"*.shop.example.com"}}}}});
  const auto why = [&](const std::string& more) {
    s.apply("ExternalService", "it",
            cat("{hosts: [api.shop.example.com], ports: [{number: 443}], ", more, "}"));
    s.settle();
    const Json live = s.get("externalservices", "shop", "it");
    return condition(live, "Stalled") == "True" ? reason(live, "Stalled") : reason(live);
  };
  for (const std::string address :
       {"127.0.0.1", "'127.1'", "'0x7f000001'", "'::1'", "'::ffff:127.0.0.1'", "169.254.169.254",
        "0.0.0.0", "localhost", "LocalHost.", "a.localhost", "ip6-loopback",
        "'unix:///var/run/x.sock'", "'@x/y'"}) {
    CAPTURE(address);
    CHECK(why(cat("endpoints: [{address: ", address, "}]")) == "AddressNotAllowed");
  }
  CHECK(why("endpoints: [{address: web.bank.svc.cluster.local}]") == "HostNotAllowed");
  CHECK(why("endpoints: [{address: 192.0.2.1}, {network: far}, {address: a.shop.example.com}]") ==
        "Aligned");
  s.put("Project", "", "shop");
  s.apply("ExternalService", "it", "{hosts: [localhost], ports: [{number: 15000}]}");
  s.settle();
  CHECK(reason(s.get("externalservices", "shop", "it"), "Stalled") == "AddressNotAllowed");
}

TEST_CASE("routes: no gateway is led to a Service of another project") {
  Shop s(Json{{"allow", {{"hosts", {"*.shop.example.com", "api.partner.svc.cluster.local"}}}}});
  s.virtual_cluster("shop", "other", {{"injection", {{"mode", "Unmanaged"}}}});
  s.settle();
  const auto why = [&](const std::string& rule) {
    s.apply("TrafficRoute", "it", cat("{hosts: [a.shop.example.com], routes: [", rule, "]}"));
    s.settle();
    return reason(s.get("trafficroutes", "shop", "it"), "Stalled");
  };
  const auto to = [](const char* host) { return cat("{weights: [{destination: ", host, "}]}"); };
  CHECK(why(to("web.bank-dev.svc.cluster.local")) == "HostNotAllowed");
  CHECK(why(to("web.bank-dev.SVC.cluster.local")) == "UnknownDestination");
  CHECK(why("{weights: [{destination: web, version: v1}], mirror: {destination: "
            "web.bank-dev.svc.cluster.local}}") == "HostNotAllowed");
  CHECK(why(to("web.shop-other.svc.cluster.local")) == "Aligned");
  CHECK(why(to("api.partner.svc.cluster.local")) == "Aligned");
}

TEST_CASE("routes: what of Istio's fields opens files or breaks proxies of others is refused") {
  Shop s;
  const auto destination = [&](const std::string& policy) {
    s.apply("Destination", "it",
            cat("{application: web, ports: [{port: 80}], trafficPolicy: ", policy, "}"));
    s.settle();
    return reason(s.get("destinations", "shop", "it"), "Stalled");
  };
  const auto hash = [](const std::string& table) {
    return cat("{loadBalancer: {consistentHash: {httpHeaderName: x, ", table, "}}}");
  };
  CHECK(destination(hash("ringHash: {minimumRingSize: 8388608}")) == "FieldNotAllowed");
  CHECK(destination(hash("ringHash: {minimumRingSize: '8388608'}")) == "FieldNotAllowed");
  CHECK(destination(hash("maglev: {tableSize: 5000011}")) == "FieldNotAllowed");
  CHECK(destination(hash("ringHash: {minimumRingSize: 1024}")) == "Aligned");
  CHECK(destination(hash("ringHash: {minimumRingSize: '1024'}")) == "Aligned");
  CHECK(destination("{portLevelSettings: [{port: {number: 80}, tls: {mode: MUTUAL, "
                    "clientCertificate: /etc/certs/x}}]}") == "FieldNotAllowed");
  CHECK(destination("{tls: {mode: SIMPLE, credentialName: x}}") == "Aligned");
  const auto gateway = [&](const std::string& tls) {
    s.apply("EntryGateway", "it",
            cat("{servers: [{port: 443, hosts: [x.example.com], tls: ", tls, "}]}"));
    s.settle();
    return reason(s.get("entrygateways", "shop", "it"), "Stalled");
  };
  CHECK(gateway("{mode: SIMPLE, serverCertificate: /c, privateKey: /var/run/secrets/x}") ==
        "FieldNotAllowed");
  CHECK(gateway("{credentialName: x, verifyCertificateHash: [x]}") == "FieldNotAllowed");
  CHECK(gateway(cat("{credentialName: x, verifyCertificateHash: ['", std::string(64, 'a'),
                    "']}")) == "Aligned");
}
