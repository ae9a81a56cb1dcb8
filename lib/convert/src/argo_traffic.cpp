#include <algorithm>

#include <kubist/util/text.hpp>

#include "argo.hpp"
#include "istio.hpp"

namespace kubist::convert {

using util::cat;

namespace {

constexpr std::string_view k_istio = "networking.istio.io";

/// What a VirtualService calls the two versions.
struct Versions {
  std::string stable, canary;                ///< Services
  std::string stable_subset, canary_subset;  ///< of the DestinationRule

  bool has(const std::string& host, const std::string& subset) const {
    const std::string name = host.substr(0, host.find('.'));
    const bool by_host = !name.empty() && (name == stable || name == canary);
    const bool by_subset = !subset.empty() && (subset == stable_subset || subset == canary_subset);
    return by_host || by_subset;
  }
};

/// Where a destination of Istio's is, but for the versions of the release.
Json share_of(const Fields& destination, const std::string& host, const std::string& subset) {
  Json share{{"destination", host}};
  if (!subset.empty()) {
    share["version"] = subset;
  }
  if (const auto port = destination.at("port").number("number")) {
    share["port"] = *port;
  }
  return share;
}

/// Shares with the two versions as one, of stable; empty: it has no destination.
Json shares_of(const Fields& http, const Versions& versions, const Release& release, bool& own) {
  Json shares = Json::array();
  std::optional<std::int64_t> sum;
  for (const Fields& given : http.list("route")) {
    const Fields destination = given.at("destination");
    const std::string host = destination.text("host"), subset = destination.text("subset");
    const auto weight = given.number("weight");
    if (versions.has(host, subset)) {
      own = true;
      destination.at("port").number("number");  // the Destination's only one
      sum = sum.value_or(0) + weight.value_or(0);
      continue;
    }
    shares.push_back(share_of(destination, host, subset));
    if (weight) {
      shares.back()["weight"] = *weight;
    }
  }
  if (own) {
    shares.insert(shares.begin(), stable_share(release));
    if (shares.size() > 1) {
      shares[0]["weight"] = *sum;
    }
  }
  return shares;
}

void read_istio_mirror(const Fields& http, Json& rule) {
  const Fields mirror = http.at("mirror");
  if (!mirror.has("host")) {
    return;
  }
  rule["mirror"] = share_of(mirror, mirror.text("host"), mirror.text("subset"));
  if (const Json percent = http.at("mirrorPercentage").any("value"); percent.is_number()) {
    rule["mirror"]["percent"] = percent;
  }
}

void read_rule(const Fields& http, const Versions& versions, const std::vector<std::string>& named,
               const Release& release, Route& route) {
  bool own = false;
  Json shares = shares_of(http, versions, release, own);
  if (shares.empty()) {
    http.lost("a route of a TrafficRoute has weights, so this one is left out");
    return;
  }
  auto kept = rule_of(http);
  if (!kept) {
    http.lost("no match of it is left, and without one it would take all requests");
    return;
  }
  Json rule = *std::move(kept);
  const std::string name = http.text("name");
  if (!name.empty()) {
    rule["name"] = name;
  }
  if (own && !named.empty() && std::find(named.begin(), named.end(), name) == named.end()) {
    http.note("name",
              "the Rollout leaves it as it is, but a release moves the weights of each "
              "route that sends to the stable version");
  }
  read_istio_mirror(http, rule);
  rule["weights"] = std::move(shares);
  route.rules.push_back(std::move(rule));
}

/// A route for everything that the clients of `host` send.
Route plain_route(const Release& release, const std::string& name, const std::string& host) {
  Route route{name, {host}, {}};
  route.rules.push_back({{"weights", Json::array({stable_share(release)})}});
  return route;
}

void read_virtual_service(const Fields& given, const Versions& versions, Inputs& inputs,
                          Release& release) {
  const std::string name = given.text("name");
  const std::vector<std::string> named = given.texts("routes");
  Source* found = inputs.use(k_istio, "VirtualService", release.foreign_ns, name);
  if (found == nullptr) {
    given.lost("name", cat("VirtualService/", name,
                           " is not in the input: add its file, or write its hosts, gateways and "
                           "conditions into the TrafficRoute"));
    release.routes.push_back(plain_route(
        release, name, versions.stable.empty() ? release.destination : versions.stable));
    return;
  }
  const Fields spec = found->spec();
  Route route{name, spec.texts("hosts"), {}};
  for (const std::string& gateway : spec.texts("gateways")) {
    route.gateways.push_back(gateway_of(gateway, release.foreign_ns));
  }
  for (const Fields& http : spec.list("http")) {
    read_rule(http, versions, named, release, route);
  }
  if (route.rules.empty()) {
    route.rules.push_back({{"weights", Json::array({stable_share(release)})}});
  }
  release.routes.push_back(std::move(route));
}

void read_destination_rule(const Fields& given, Inputs& inputs, Versions& versions,
                           Release& release) {
  const std::string name = given.text("name");
  versions.stable_subset = given.text("stableSubsetName");
  versions.canary_subset = given.text("canarySubsetName");
  if (name.empty()) {
    return;
  }
  Source* found = inputs.use(k_istio, "DestinationRule", release.foreign_ns, name);
  if (found == nullptr) {
    given.lost("name", cat("DestinationRule/", name,
                           " is not in the input: if it has a "
                           "trafficPolicy, add its file"));
    return;
  }
  const Fields spec = found->spec();
  spec.text("host");
  for (const Fields& subset : spec.list("subsets")) {  // their labels are the Rollout's
    subset.text("name");
    subset.any("labels");
  }
  if (spec.has("trafficPolicy")) {
    release.traffic_policy = spec.any("trafficPolicy");
  }
}

}  // namespace

void read_services(const Fields& strategy, const std::vector<std::string>& fields, Inputs& inputs,
                   Release& release) {
  for (const std::string& field : fields) {
    const std::string name = strategy.text(field);
    Source* service = inputs.use("", "Service", release.foreign_ns, name);
    if (service == nullptr) {
      continue;
    }
    service->take("/spec");  // it stays as it is; kubist makes one of its own
    for (const Fields& given : service->spec().list("ports")) {
      Json port{{"port", given.number("port").value_or(0)}};
      for (const auto& [from, to] :
           {std::pair("name", "name"), std::pair("targetPort", "targetPort"),
            std::pair("protocol", "protocol"), std::pair("appProtocol", "protocol")}) {
        const Json value = given.any(from);
        const bool slash =
            value.is_string() && value.get<std::string>().find('/') != std::string::npos;
        if (!value.is_null() && value != "TCP" && !slash) {
          port[to] = value;
        }
      }
      if (release.ports.size() < service->object()["spec"]["ports"].size()) {
        release.ports.push_back(std::move(port));
      }
    }
  }
  if (release.ports.empty()) {
    strategy.note(fields[0],
                  "no Service that it names is in the input: add its file, or write the "
                  "ports of the Destination");
  }
}

void read_routing(const Fields& canary, Inputs& inputs, Release& release) {
  const Fields routing = canary.at("trafficRouting");
  const Fields istio = routing.at("istio");
  Versions versions{canary.text("stableService"), canary.text("canaryService"), "", ""};
  routing.any("managedRoutes");  // kubist finds the routes of its steps by itself
  read_destination_rule(istio.at("destinationRule"), inputs, versions, release);
  if (const Fields one = istio.at("virtualService")) {
    read_virtual_service(one, versions, inputs, release);
  }
  for (const Fields& one : istio.list("virtualServices")) {
    read_virtual_service(one, versions, inputs, release);
  }
  if (release.routes.empty()) {
    release.routes.push_back(
        plain_route(release, release.destination,
                    versions.stable.empty() ? release.destination : versions.stable));
    if (!routing) {
      canary.note("steps",
                  "without trafficRouting Argo shares requests by numbers of pods, a release by "
                  "weights of a route: that needs Istio or the Gateway API");
    }
  }
}

}  // namespace kubist::convert
