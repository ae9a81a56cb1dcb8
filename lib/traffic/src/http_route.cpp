#include <algorithm>
#include <set>

#include <kubist/traffic/http_route.hpp>
#include <kubist/util/text.hpp>

#include "http_route_match.hpp"

namespace kubist::traffic {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;
using util::Result;

constexpr std::size_t k_max_rules = 16;  // HTTPRouteSpec.rules

bool is_outside(const Backend& backend, const Place& place) {
  return backend.destination.find('.') != std::string::npos &&
         !backend.destination.ends_with(cat(".svc.", place.domain));
}

class Writer {
 public:
  Writer(const Route& route, const Place& place) : m_route(route), m_place(place) {}

  Json run() {
    Json rules = Json::array();
    if (m_route.rules.size() > k_max_rules) {
      wrong(
          cat("an HTTPRoute has at most ", k_max_rules, " rules, these are ", m_route.rules.size()),
          "Make two TrafficRoutes of it.");
    }
    for (const Rule& rule : m_route.rules) {
      m_rule = &rule;
      rules.push_back(rule_of(rule));
    }
    check_order();
    Json spec{{"parentRefs", parents()}, {"rules", std::move(rules)}};
    if (!m_route.hosts.empty() && has_gateway()) {
      spec["hostnames"] = m_route.hosts;
    }
    return spec;
  }

  std::vector<util::Error> errors;

 private:
  bool has_gateway() const {
    return std::ranges::any_of(m_route.gateways, [](const auto& name) { return name != k_mesh; });
  }

  // GAMMA: traffic within the mesh is routed where a Service is the parent (GEP-1294).
  Json parents() {
    Json parents = Json::array();
    for (const std::string& gateway : m_route.gateways) {
      if (gateway == k_mesh) {
        add_services(parents);
        continue;
      }
      const auto slash = gateway.find('/');
      const bool own = slash == std::string::npos;
      parents.push_back({{"group", "gateway.networking.k8s.io"},
                         {"kind", "Gateway"},
                         {"namespace", own ? m_place.ns : gateway.substr(0, slash)},
                         {"name", own ? gateway : gateway.substr(slash + 1)}});
    }
    return parents;
  }

  void add_services(Json& parents) {
    std::vector<std::string> hosts = m_route.hosts;
    if (m_route.expose_internally) {
      hosts.push_back(m_route.name);
    }
    std::set<std::string> seen;
    for (const std::string& host : hosts) {
      const std::vector<std::string> parts = util::split(full_host(host, m_place), '.');
      if (full_host(host, m_place) != cat(parts[0], '.', parts[1], ".svc.", m_place.domain)) {
        if (!has_gateway()) {
          wrong(cat("host ", host,
                    " is no Service of the cluster: an HTTPRoute cannot route it within the mesh"),
                "Use mode: VirtualService.");
        }
        continue;
      }
      if (seen.insert(cat(parts[1], '/', parts[0])).second) {
        parents.push_back(
            {{"group", ""}, {"kind", "Service"}, {"namespace", parts[1]}, {"name", parts[0]}});
      }
    }
  }

  Json rule_of(const Rule& rule) {
    Json entry{{"name", rule.name}, {"backendRefs", Json::array()}};
    for (const Backend& backend : rule.backends) {
      if (!backend.set_cookie.empty()) {
        wrong("cookies of an experiment or a release need a VirtualService",
              "Use mode: VirtualService.");
      }
      Json reference = reference_of(backend);
      reference["weight"] = rule.backends.size() > 1 ? backend.weight : 1;
      entry["backendRefs"].push_back(std::move(reference));
    }
    for (const Alternative& alternative : rule.condition.alternatives) {
      entry["matches"].push_back(http_route_match(
          alternative, [&](const std::string& why, const std::string& hint) { wrong(why, hint); }));
    }
    if (Json filters = filters_of(rule); !filters.empty()) {
      entry["filters"] = std::move(filters);
    }
    if (!rule.timeout.empty()) {
      entry["timeouts"] = {{"request", rule.timeout}};
    }
    if (rule.retries) {
      wrong("HTTPRoute's standard channel has no retries", "Use mode: VirtualService.");
    }
    return entry;
  }

  Json reference_of(const Backend& backend) {
    if (is_outside(backend, m_place)) {
      wrong(cat("destination ", backend.destination, " is outside: an HTTPRoute leads to Services"),
            "Use mode: VirtualService.");
    }
    if (backend.port == 0) {
      wrong(cat("destination ", backend.destination, " names no port, an HTTPRoute needs it"),
            "Add the port.");
    }
    const std::vector<std::string> parts =
        util::split(full_host(backend.destination, m_place), '.');
    Json reference{{"group", ""},
                   {"kind", "Service"},
                   {"name", subset_service(parts[0], backend.version)},
                   {"port", backend.port}};
    if (parts.size() > 1 && parts[1] != m_place.ns) {
      reference["namespace"] = parts[1];
    }
    return reference;
  }

  Json filters_of(const Rule& rule) {
    Json filters = Json::array();
    add_headers(filters, "RequestHeaderModifier", "requestHeaderModifier", rule.headers.request);
    add_headers(filters, "ResponseHeaderModifier", "responseHeaderModifier", rule.headers.response);
    if (!rule.rewrite.empty()) {
      filters.push_back({{"type", "URLRewrite"}, {"urlRewrite", {{"path", rewrite_of(rule)}}}});
    }
    if (rule.mirror) {
      Json mirror{{"backendRef", reference_of(rule.mirror->to)}};
      if (rule.mirror->percent != 100) {
        mirror["percent"] = static_cast<int>(rule.mirror->percent);
      }
      filters.push_back({{"type", "RequestMirror"}, {"requestMirror", std::move(mirror)}});
    }
    return filters;
  }

  static void add_headers(Json& filters, const char* type, const char* field, const Json& changes) {
    if (!changes.is_object() || changes.empty()) {
      return;
    }
    Json modifier = Json::object();
    for (const char* verb : {"set", "add"}) {
      const Json values = changes.value(verb, Json::object());
      for (const auto& [name, value] : values.items()) {
        modifier[verb].push_back({{"name", name}, {"value", value}});
      }
    }
    if (changes.contains("remove")) {
      modifier["remove"] = changes["remove"];
    }
    filters.push_back({{"type", type}, {field, std::move(modifier)}});
  }

  // A prefix that matched is replaced, as VirtualService does; the whole path where all is exact.
  Json rewrite_of(const Rule& rule) {
    bool prefixes = true;
    bool exact = !rule.condition.alternatives.empty();
    for (const Alternative& alternative : rule.condition.alternatives) {
      const auto uri = std::ranges::find(alternative, Part::uri, &Test::part);
      const bool has = uri != alternative.end();
      prefixes = prefixes && (!has || uri->op == Operator::prefix);
      exact = exact && has && uri->op == Operator::exact;
    }
    if (!prefixes && !exact) {
      wrong(
          "an HTTPRoute rewrites either a prefix or an exact path, this condition has others, too",
          "Split the route into one for each.");
    }
    return exact ? Json{{"type", "ReplaceFullPath"}, {"replaceFullPath", rule.rewrite}}
                 : Json{{"type", "ReplacePrefixMatch"}, {"replacePrefixMatch", rule.rewrite}};
  }

  void check_order() {
    for (std::size_t later = 1; later < m_route.rules.size(); ++later) {
      for (std::size_t first = 0; first < later; ++first) {
        if (overtakes(m_route.rules[later].condition, m_route.rules[first].condition)) {
          m_rule = &m_route.rules[first];
          wrong(cat("an HTTPRoute takes the most specific match, so route ",
                    m_route.rules[later].name, " would be taken before it"),
                cat("Add the path of ", m_route.rules[later].name,
                    " to its condition, or use mode: VirtualService."));
          break;
        }
      }
    }
  }

  void wrong(const std::string& why, std::string hint) {
    const std::string where = m_rule == nullptr ? "" : cat("route ", m_rule->name, ": ");
    errors.push_back(util::make_error(ErrorKind::invalid, cat(where, why), std::move(hint)));
  }

  const Route& m_route;
  const Place& m_place;
  const Rule* m_rule = nullptr;
};

}  // namespace

Result<Json> http_route_spec(const Route& route, const Place& place) {
  Writer writer(route, place);
  Json spec = writer.run();
  if (writer.errors.empty()) {
    return spec;
  }
  if (writer.errors.size() == 1) {
    return util::fail(std::move(writer.errors.front()));
  }
  util::Error error = util::make_error(
      ErrorKind::invalid, cat("TrafficRoute/", route.name, " does not fit an HTTPRoute"));
  error.details = std::move(writer.errors);
  return util::fail(std::move(error));
}

std::vector<std::string> http_route_notes(const Route& route) {
  std::vector<std::string> notes;
  for (const Rule& rule : route.rules) {
    for (const Alternative& alternative : rule.condition.alternatives) {
      for (const Test& test : alternative) {
        if (test.part == Part::uri && test.op == Operator::prefix && test.value != "/") {
          std::string path = test.value;
          if (path.ends_with('/')) {
            path.pop_back();
          }
          notes.push_back(
              cat("route ", rule.name, ": an HTTPRoute's prefix is of whole path elements: ",
                  to_string(test), " takes ", path, " and ", path, "/x, but not ", path, "x"));
        }
      }
    }
  }
  return notes;
}

}  // namespace kubist::traffic
