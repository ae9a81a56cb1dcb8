#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/traffic/route.hpp>
#include <kubist/util/text.hpp>

#include "header_changes.hpp"

namespace kubist::traffic {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;

constexpr std::string_view k_traffic_route = "TrafficRoute";

// Values that the schema has checked already; absent or of another type reads as the default.
std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}
std::int64_t number_of(const Json& object, const char* key, std::int64_t otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>()
                                                             : otherwise;
}
const Json& member_of(const Json& object, const char* key) {
  static const Json none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}
std::vector<std::string> texts_of(const Json& object, const char* key) {
  std::vector<std::string> texts;
  for (const Json& each : member_of(object, key)) {
    if (each.is_string()) {
      texts.push_back(each.get<std::string>());
    }
  }
  return texts;
}

class RouteReader {
 public:
  Route read(const Json& object) {
    const Json& spec = member_of(object, "spec");
    Route route{.name = std::string(resources::ObjectView(object).name()),
                .hosts = texts_of(spec, "hosts"),
                .gateways = texts_of(spec, "gateways"),
                .expose_internally = member_of(spec, "exposeInternally") == true,
                .rules = {}};
    if (route.gateways.empty()) {
      route.gateways.emplace_back(k_mesh);
    }
    if (route.expose_internally && !is_for_mesh(route)) {
      route.gateways.emplace_back(k_mesh);
    }
    if (is_for_mesh(route) && route.hosts.empty() && !route.expose_internally) {
      wrong("/spec/hosts", "traffic within the mesh needs a host",
            "Name a host, or set exposeInternally.");
    }
    read_rules(member_of(spec, "routes"), route);
    return route;
  }

  std::vector<RouteFault> faults;

 private:
  static bool is_for_mesh(const Route& route) {
    return std::ranges::find(route.gateways, k_mesh) != route.gateways.end();
  }

  void read_rules(const Json& rules, Route& route) {
    std::set<std::string> names;
    const Rule* takes_all = nullptr;
    for (const Json& each : rules) {
      m_rule = cat("/spec/routes/", route.rules.size());
      if (takes_all != nullptr) {
        wrong(m_rule, cat("is never reached: ", takes_all->name, " takes every request"),
              "Put the route without a condition last.");
        break;
      }
      Rule& rule = route.rules.emplace_back(read_rule(each));
      rule.name = text_of(each, "name");
      if (rule.name.empty()) {
        rule.name = cat("route-", route.rules.size());
      }
      if (!names.insert(rule.name).second) {
        wrong(m_rule + "/name", cat("a second route has the name ", rule.name), "");
      }
      takes_all = rule.condition.alternatives.empty() && !m_broken ? &rule : nullptr;
    }
    if (route.rules.empty()) {
      wrong("/spec/routes", "there is no route", "Give at least one, with weights.");
    }
  }

  Rule read_rule(const Json& each) {
    Rule rule;
    auto condition = parse_condition(text_of(each, "condition"));
    m_broken = !condition;
    if (condition) {
      rule.condition = *std::move(condition);
    } else {
      wrong(m_rule + "/condition", condition.error().message, condition.error().hint);
    }
    rule.rewrite = text_of(each, "rewrite");
    // Envoy refuses the whole route table of a gateway for a line break here:
    // https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/route/v3/route_components.proto
    if (std::ranges::any_of(rule.rewrite, [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
      wrong(m_rule + "/rewrite", "has a control character", "");
    }
    rule.timeout = text_of(each, "timeout");
    if (const Json& retries = member_of(each, "retries"); retries.is_object()) {
      rule.retries = Retries{static_cast<int>(number_of(retries, "attempts", 0)),
                             text_of(retries, "perTryTimeout"), text_of(retries, "retryOn")};
    }
    if (const Json& mirror = member_of(each, "mirror"); mirror.is_object()) {
      const Json& percent = member_of(mirror, "percent");
      rule.mirror = Mirror{read_backend(mirror), percent.is_number() ? percent.get<double>() : 100};
    }
    const Json& headers = member_of(each, "headers");
    rule.headers = {member_of(headers, "request"), member_of(headers, "response")};
    for (const auto& [side, changes] : data::object_at(each, {"headers"}).items()) {
      if (const std::string problem = header_problem(changes); !problem.empty()) {
        wrong(cat(m_rule, "/headers/", side), problem, "");
      }
    }
    read_weights(member_of(each, "weights"), rule);
    return rule;
  }

  static Backend read_backend(const Json& each) {
    return {text_of(each, "destination"), static_cast<int>(number_of(each, "port", 0)),
            text_of(each, "version"), number_of(each, "weight", 0), text_of(each, "setCookie")};
  }

  void read_weights(const Json& weights, Rule& rule) {
    // Above this HTTPRoute takes no weight; it keeps sums far from overflow, too.
    constexpr std::int64_t k_max_weight = 1'000'000;
    for (const Json& each : weights) {
      const Backend& backend = rule.backends.emplace_back(read_backend(each));
      if (backend.weight < 0 || backend.weight > k_max_weight) {
        wrong(cat(m_rule, "/weights/", rule.backends.size() - 1, "/weight"),
              cat("is ", backend.weight, ", not from 0 to ", k_max_weight), "");
      }
      if (!is_header_value(backend.set_cookie)) {
        wrong(cat(m_rule, "/weights/", rule.backends.size() - 1, "/setCookie"), "is no cookie", "");
      }
    }
    if (rule.backends.empty()) {
      wrong(m_rule + "/weights", "there is no destination", "Name one, with a weight.");
      return;
    }
    // As in VirtualService: a lone destination takes everything, whatever its weight.
    if (rule.backends.size() == 1) {
      rule.backends.front().weight = 100;
    }
    if (std::ranges::all_of(rule.backends, [](const Backend& b) { return b.weight == 0; })) {
      wrong(m_rule + "/weights", "all weights are 0: no destination would get a request",
            "Give one of them a weight above 0.");
    }
  }

  void wrong(std::string pointer, std::string_view why, std::string hint) {
    util::Error error = util::make_error(
        ErrorKind::invalid, cat(data::dotted_path(pointer), ": ", why), std::move(hint));
    faults.push_back({std::move(pointer), std::move(error)});
  }

  std::string m_rule;
  bool m_broken = false;
};

}  // namespace

std::string full_host(std::string_view name, const Place& place) {
  return name.find('.') == std::string_view::npos ? cat(name, '.', place.ns, ".svc.", place.domain)
                                                  : std::string(name);
}

std::string subset_service(std::string_view destination, std::string_view subset) {
  return subset.empty() ? std::string(destination) : cat(destination, '-', subset);
}

std::vector<RouteFault> route_faults(const data::Json& object) {
  RouteReader reader;
  if (resources::is_kubist_object(object) &&
      resources::ObjectView(object).kind() == k_traffic_route) {
    reader.read(object);
  }
  return std::move(reader.faults);
}

util::Result<Route> read_route(const data::Json& traffic_route) {
  RouteReader reader;
  Route route = reader.read(traffic_route);
  if (reader.faults.empty()) {
    return route;
  }
  std::vector<util::Error> errors;
  for (RouteFault& fault : reader.faults) {
    errors.push_back(std::move(fault.error));
  }
  return util::fail(data::combine_errors(std::move(errors), cat("TrafficRoute/", route.name)));
}

const Rule* rule_for(const Route& route, const Request& request) {
  const auto found = std::ranges::find_if(
      route.rules, [&](const Rule& rule) { return holds(rule.condition, request); });
  return found == route.rules.end() ? nullptr : &*found;
}

std::vector<double> shares(const Rule& rule) {
  const auto sum = static_cast<double>(
      std::accumulate(rule.backends.begin(), rule.backends.end(), std::int64_t{0},
                      [](std::int64_t all, const Backend& each) { return all + each.weight; }));
  std::vector<double> shares;
  for (const Backend& each : rule.backends) {
    shares.push_back(sum > 0 ? 100 * static_cast<double>(each.weight) / sum : 0);
  }
  return shares;
}

std::string percent_text(double share) {
  const double tenths = std::round(share * 10);
  const auto whole = static_cast<std::int64_t>(tenths / 10);
  const auto rest = static_cast<std::int64_t>(tenths) % 10;
  return rest == 0 ? cat(whole, " %") : cat(whole, '.', rest, " %");
}

std::vector<std::string> served_hosts(const Route& route, const Place& place) {
  std::vector<std::string> hosts;
  for (const std::string& host : route.hosts) {
    hosts.push_back(host == "*" ? host : full_host(host, place));
  }
  if (route.expose_internally) {
    hosts.push_back(full_host(route.name, place));
  }
  if (hosts.empty()) {
    hosts.emplace_back("*");
  }
  return hosts;
}

std::vector<std::string> served_gateways(const Route& route, const Place& place) {
  std::vector<std::string> gateways;
  for (const std::string& gateway : route.gateways) {
    gateways.push_back(gateway == k_mesh || gateway.find('/') != std::string::npos
                           ? gateway
                           : cat(place.ns, '/', gateway));
  }
  return gateways;
}

}  // namespace kubist::traffic
