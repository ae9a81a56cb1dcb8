#include "flagger.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "istio.hpp"

namespace kubist::convert {

using util::cat;

namespace {

/// The workload, and what Flagger calls by its name; returns the name.
std::string read_target(const Fields& target, Inputs& inputs, Release& release) {
  target.text("apiVersion");
  std::string name = target.text("name");
  const std::string kind = target.text("kind", "Deployment");
  if (kind != "Deployment") {
    target.lost("kind", "a release follows the pods of Deployments: make two of them");
    return name;
  }
  if (Source* deployment = inputs.use("apps", "Deployment", release.foreign_ns, name)) {
    deployment->take("/spec");
    release.workload = deployment->object();
    release.drop_no_replicas(*deployment);
    release.selector = data::object_at(*release.workload, {"spec", "selector", "matchLabels"});
  }
  return name;
}

void read_provider(const Fields& spec, Release& release) {
  const std::string provider = spec.text("provider");
  if (provider == "istio") {
    release.mode = "VirtualService";
  } else if (provider.starts_with("gatewayapi")) {
    release.mode = "HTTPRoute";
  } else if (!provider.empty()) {
    spec.lost("provider", "kubist routes by Istio or by the Gateway API");
  }
}

void read_ports(const Fields& service, Release& release) {
  const auto port = service.number("port");
  if (!port) {
    return;
  }
  Json own{{"port", *port}, {"name", service.text("portName", "http")}};
  if (service.has("targetPort")) {
    own["targetPort"] = service.any("targetPort");
  }
  const std::string protocol = service.text("appProtocol");
  if (protocol.find('/') != std::string::npos) {
    service.lost("appProtocol", "a port's protocol is one that Istio knows, such as HTTP2");
  } else if (!protocol.empty()) {
    own["protocol"] = protocol;
  }
  release.ports.push_back(std::move(own));
}

void read_gateways(const Fields& service, const Release& release, Route& route) {
  for (const std::string& gateway : service.texts("gateways")) {
    route.gateways.push_back(gateway_of(gateway, release.foreign_ns));
  }
  for (const Fields& gateway : service.list("gatewayRefs")) {
    gateway.text("group");
    gateway.text("kind");
    const std::string ns = gateway.text("namespace", release.foreign_ns);
    route.gateways.push_back(cat(ns, '/', gateway.text("name")));
  }
}

/// As Flagger does, also by the name of the Service where pods of the mesh send to it.
void read_hosts(const Fields& service, const Release& release, Route& route) {
  route.hosts = service.texts("hosts");
  const auto has = [](const std::vector<std::string>& all, std::string_view one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  const bool in_mesh = route.gateways.empty() || has(route.gateways, k_mesh);
  if (route.hosts.empty() || (in_mesh && !has(route.hosts, release.destination))) {
    route.hosts.push_back(release.destination);
  }
}

/// The first mirror of Gateway API's kind.
void read_gateway_mirror(const Fields& service, Json& rule) {
  const std::vector<Fields> mirrors = service.list("mirror");
  if (mirrors.empty()) {
    return;
  }
  const Fields to = mirrors[0].at("backendRef");
  rule["mirror"] = {{"destination", to.text("name")}};
  if (const auto port = to.number("port")) {
    rule["mirror"]["port"] = *port;
  }
}

}  // namespace

/// Where no match is left: without a condition the route would take all requests.
constexpr const char* k_no_request =
    "header \"x-write-the-condition\" exact \"kubist convert found none\"";

void read_service(const Fields& service, Release& release) {
  release.destination = service.text("name", release.destination);
  Route route{release.destination, {}, {}};
  read_ports(service, release);
  if (service.has("trafficPolicy")) {
    release.traffic_policy = service.any("trafficPolicy");
  }
  read_gateways(service, release, route);
  read_hosts(service, release, route);
  Json rule = rule_of(service).value_or(Json{{"condition", k_no_request}});
  read_gateway_mirror(service, rule);
  rule["weights"] = Json::array({stable_share(release)});
  route.rules.push_back(std::move(rule));
  release.routes.push_back(std::move(route));
}

void read_flagger(Source& canary, Inputs& inputs, Release& release) {
  const Fields spec = canary.spec();
  const std::string target = read_target(spec.at("targetRef"), inputs, release);
  release.destination = target;
  read_provider(spec, release);
  read_service(spec.at("service"), release);
  if (release.selector.is_null()) {
    release.selector = {{"app", target}};
  }
  if (spec.has("metricsServer")) {
    set_prometheus(release, spec, "metricsServer");
    if (release.spec.contains("metrics")) {
      release.spec["metrics"]["provider"] = "Prometheus";
    }
  }
  if (spec.flag("suspend")) {
    release.spec["suspend"] = true;
  }
  spec.flag("revertOnDeletion");  // what kubist does anyway
  read_analysis(spec, target, inputs, release);
}

}  // namespace kubist::convert
