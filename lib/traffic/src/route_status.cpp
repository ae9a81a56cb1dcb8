#include <cmath>

#include <kubist/data/pointer.hpp>
#include <kubist/traffic/route_status.hpp>
#include <kubist/util/text.hpp>

namespace kubist::traffic {

using data::Json;
using util::cat;

namespace {

/// In hundredths of a percent: what people read, and the same on every machine.
double rounded(double percent) { return std::round(percent * 100) / 100; }

Json shares_of(const Rule& rule) {
  Json list = Json::array();
  const auto percents = shares(rule);
  for (std::size_t i = 0; i < rule.backends.size(); ++i) {
    const Backend& backend = rule.backends[i];
    Json entry{{"destination", backend.destination},
               {"weight", backend.weight},
               {"percent", rounded(percents[i])}};
    if (backend.port != 0) {
      entry["port"] = backend.port;
    }
    if (!backend.version.empty()) {
      entry["version"] = backend.version;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

/// "web.shop.svc.cluster.local" in namespace shop is "web".
std::string short_host(const std::string& host, const Place& place) {
  const std::string suffix = cat('.', place.ns, ".svc.", place.domain);
  return host.ends_with(suffix) ? host.substr(0, host.size() - suffix.size()) : host;
}

Backend live_backend(const Json& entry, const Place& place) {
  Backend backend;
  backend.destination =
      short_host(std::string(data::string_at(entry, {"destination", "host"})), place);
  backend.version = data::string_at(entry, {"destination", "subset"});
  backend.port = static_cast<int>(data::int_at(entry, {"destination", "port", "number"}));
  backend.weight = data::count_at(entry, {"weight"});
  return backend;
}

}  // namespace

Json route_status(const Route& route, const Json& routes) {
  Json list = Json::array();
  for (std::size_t i = 0; i < route.rules.size(); ++i) {
    Json entry{{"name", route.rules[i].name}, {"weights", shares_of(route.rules[i])}};
    if (i < routes.size() && !data::string_at(routes[i], {"condition"}).empty()) {
      entry["condition"] = routes[i]["condition"];
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json live_route_status(const Json& virtual_service, const Place& place) {
  Json list = Json::array();
  const Json* http = data::find_path(virtual_service, {"spec", "http"});
  for (const Json& each : http != nullptr ? *http : Json::array()) {
    Rule rule;
    const Json* to = data::find_path(each, {"route"});
    for (const Json& entry : to != nullptr ? *to : Json::array()) {
      rule.backends.push_back(live_backend(entry, place));
    }
    if (rule.backends.size() == 1) {  // a single one gets everything, whatever its weight
      rule.backends.front().weight = 100;
    }
    const std::string usual = cat("route-", list.size() + 1);
    list.push_back(
        {{"name", data::string_at(each, {"name"}, usual)}, {"weights", shares_of(rule)}});
  }
  return list;
}

std::string weights_text(const Json& route_status) {
  std::vector<std::string> routes;
  for (const Json& route : route_status) {
    std::vector<std::string> shares;
    for (const Json& share : route["weights"]) {
      const std::string version(data::string_at(share, {"version"}));
      shares.push_back(cat(data::string_at(share, {"destination"}), version.empty() ? "" : " ",
                           version, ' ', percent_text(share["percent"].get<double>())));
    }
    routes.push_back(util::join(shares, ", "));
  }
  return util::join(routes, "; ");
}

}  // namespace kubist::traffic
