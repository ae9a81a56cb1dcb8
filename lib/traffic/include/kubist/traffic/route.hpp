#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/traffic/condition.hpp>
#include <kubist/util/result.hpp>

namespace kubist::traffic {

/// Where objects are written: names without a dot are of this namespace.
struct Place {
  std::string ns;
  std::string domain = "cluster.local";
};

/// "shop" -> "shop.NS.svc.DOMAIN"; a name with a dot stays: it is a full name, or a host outside.
std::string full_host(std::string_view name, const Place& place);

/// The object name of a Destination's own Service for one subset, where routes cannot name subsets.
std::string subset_service(std::string_view destination, std::string_view subset);

/// Where a share of the requests goes.
struct Backend {
  std::string destination;  ///< a Destination's name, or a full host
  int port = 0;             ///< 0: the only one that the destination has
  std::string version;      ///< a subset of the Destination, or empty
  std::int64_t weight = 0;  ///< of the sum of its rule's weights
  std::string set_cookie;   ///< header Set-Cookie of its answers; empty: none
};

struct Retries {
  int attempts = 0;
  std::string per_try_timeout;  ///< a duration; may be empty
  std::string retry_on;         ///< Envoy's words, comma separated; may be empty
};

struct Mirror {
  Backend to;
  double percent = 100;
};

/// Which headers are changed on the way: {set: {}, add: {}, remove: []}, as the spec has it.
struct HeaderChanges {
  data::Json request, response;
};

/// One entry of spec.routes.
struct Rule {
  std::string name;  ///< unique in its route; "route-N" (from 1) where the spec names none
  Condition condition;
  std::string rewrite;  ///< the new path, or what replaces the prefix that matched; may be empty
  std::string timeout;  ///< a duration; may be empty
  std::optional<Retries> retries;
  std::optional<Mirror> mirror;
  HeaderChanges headers;
  std::vector<Backend> backends;  ///< at least one, and one at least with a weight
};

/// A TrafficRoute, read.
struct Route {
  std::string name;
  std::vector<std::string> hosts;
  std::vector<std::string> gateways;  ///< at least one; "mesh" for the traffic within
  bool expose_internally = false;
  std::vector<Rule> rules;  ///< the first that matches takes the request
};

inline constexpr std::string_view k_mesh = "mesh";

/// Something wrong with a TrafficRoute that its schema does not see.
struct RouteFault {
  std::string pointer;  ///< into the object: "/spec/routes/0/condition"
  util::Error error;    ///< names the field
};
/// A condition that does not parse, weights that are negative or all 0, no backend, a rule name
/// twice, a rule after one that takes everything, neither hosts nor exposeInternally for the mesh.
/// Nothing for other kinds.
std::vector<RouteFault> route_faults(const data::Json& object);

/// Reads a TrafficRoute that the schema accepts. Invalid: it has faults (all of them in one error).
util::Result<Route> read_route(const data::Json& traffic_route);

/// The first rule whose condition holds for the request; null when none does.
const Rule* rule_for(const Route& route, const Request& request);

/// Each backend's share in percent, in order; they add up to 100.
std::vector<double> shares(const Rule& rule);
/// "80 %" "33.3 %": a share for people.
std::string percent_text(double share);

/// The names under which clients within the mesh reach the route: its own full host when it is
/// exposed internally, after its hosts; "*" when only gateways lead to it and it has no host.
std::vector<std::string> served_hosts(const Route& route, const Place& place);
/// The gateways as Istio names them: "NAMESPACE/NAME" or "mesh".
std::vector<std::string> served_gateways(const Route& route, const Place& place);

}  // namespace kubist::traffic
