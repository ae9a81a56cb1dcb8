#include <doctest/doctest.h>

#include <kubist/traffic/entry_gateway.hpp>
#include <kubist/traffic/external_service.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::traffic;
using data::Json;
using testing::yaml;

TEST_CASE("entry gateway: ports, protocols, hosts and TLS with their defaults") {
  const auto spec = gateway_spec(yaml(R"(
metadata: {name: entry}
spec:
  servers:
    - {port: 80, protocol: http}
    - {port: 443, hosts: [shop.example.com], tls: {credentialName: shop, minProtocolVersion: TLSV1_2}}
    - {port: 8080, name: plain, tls: {httpsRedirect: true}, protocol: HTTP}
)"));
  REQUIRE(spec);
  CHECK(*spec == yaml(R"(
selector: {istio: ingressgateway}
servers:
  - {port: {number: 80, name: http-80, protocol: HTTP}, hosts: ["*"]}
  - port: {number: 443, name: https-443, protocol: HTTPS}
    hosts: [shop.example.com]
    tls: {mode: SIMPLE, credentialName: shop, minProtocolVersion: TLSV1_2}
  - {port: {number: 8080, name: plain, protocol: HTTP}, hosts: ["*"], tls: {httpsRedirect: true}}
)"));
  const auto twice = gateway_spec(
      yaml("{metadata: {name: entry}, spec: {servers: [{port: 80}, {port: 80, hosts: [a]}]}}"));
  REQUIRE_FALSE(twice);
  CHECK(twice.error().message ==
        "EntryGateway/entry: spec.servers[].name: http-80 stands there twice");
  // As an older schema may have let it in.
  CHECK(gateway_spec(yaml("{metadata: {name: entry}, spec: {servers: [{port: 80, tls: []}]}}")));
}

TEST_CASE("entry gateway: its address is that of a Service that selects its pods") {
  const std::vector<Json> pods{
      yaml("{metadata: {namespace: istio-system, labels: {istio: ingressgateway, app: gw}}}")};
  Json service = yaml(R"(
metadata: {namespace: istio-system, name: gw}
spec: {selector: {app: gw}, clusterIPs: [10.0.0.7]}
)");
  using Texts = std::vector<std::string>;
  CHECK(gateway_addresses({service}, pods) == Texts{"10.0.0.7"});
  service["spec"]["externalIPs"] = {"198.51.100.1"};
  CHECK(gateway_addresses({service}, pods) == Texts{"198.51.100.1"});
  service["status"] =
      yaml("{loadBalancer: {ingress: [{ip: 203.0.113.9}, {hostname: a.example.com}]}}");
  CHECK(gateway_addresses({service, service}, pods) == Texts{"203.0.113.9", "a.example.com"});
  for (const char* other : {"{app: other}", "{}"}) {
    service["spec"]["selector"] = yaml(other);
    CHECK(gateway_addresses({service}, pods).empty());
  }
  service["spec"]["selector"] = yaml("{app: gw}");
  service["metadata"]["namespace"] = "elsewhere";
  CHECK(gateway_addresses({service}, pods).empty());
}

TEST_CASE("external service: becomes a ServiceEntry") {
  const auto spec = service_entry_spec(yaml(R"(
metadata: {name: pay}
spec: {hosts: [pay.example.com], ports: [{number: 443, protocol: tls}, {port: 80, name: web}]}
)"));
  REQUIRE(spec);
  CHECK(*spec == yaml(R"(
hosts: [pay.example.com]
ports: [{number: 443, name: tls-443, protocol: TLS}, {number: 80, name: web, protocol: HTTP}]
resolution: DNS
location: MESH_EXTERNAL
)"));
}

TEST_CASE("external service: how addresses are found follows hosts and endpoints") {
  const auto resolution = [](const char* more) {
    Json object =
        yaml("{metadata: {name: x}, spec: {hosts: [a.example.com], ports: [{port: 80}]}}");
    object["spec"].update(yaml(more));
    const auto spec = service_entry_spec(object);
    return spec ? spec->at("resolution").get<std::string>() : spec.error().message;
  };
  CHECK(resolution("{hosts: ['*.example.com']}") == "NONE");
  CHECK(resolution("{endpoints: [{address: 192.0.2.1}, {address: '2001:db8::1'}]}") == "STATIC");
  CHECK(resolution("{endpoints: [{address: b.example.com}]}") == "DNS");
  CHECK(resolution("{endpoints: [{address: 192.0.2.1}], resolution: NONE}") == "NONE");
  CHECK(resolution("{hosts: ['*.example.com'], resolution: DNS}").find("wildcard") !=
        std::string::npos);
  CHECK(resolution("{ports: [{port: 80}, {number: 80}]}").find("stands there twice") !=
        std::string::npos);
}
