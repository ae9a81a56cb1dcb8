#pragma once
#include <map>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/traffic/route.hpp>
#include <kubist/util/result.hpp>

namespace kubist::traffic {

/// One port that clients use.
struct ServicePort {
  std::string name;
  int port = 0;
  data::Json target;         ///< a number or a name; null: the same as port
  std::string protocol;      ///< of the transport: "TCP", "UDP", ...
  std::string app_protocol;  ///< small letters; empty: what the name says
};

struct Subset {
  data::Json labels;
  data::Json traffic_policy;  ///< null: none
};

/// A Destination, read.
struct Destination {
  std::string name;       ///< of the Service and DestinationRule
  bool borrowed = false;  ///< they are somebody else's
  data::Json selector;    ///< labels of its pods
  std::vector<ServicePort> ports;
  std::map<std::string, Subset> subsets;
  data::Json traffic_policy;  ///< null: none
};

/// Reads a Destination that the schema accepts. Invalid (all faults in `details`): a port or a port
/// name twice.
util::Result<Destination> read_destination(const data::Json& destination);

// Specs of what it becomes. Equal destinations give equal specs.

/// The Service of all of its pods. REQUIRES: it has a port (a Service without one is not possible).
data::Json service_spec(const Destination& destination);
/// The DestinationRule (networking.istio.io, any served version).
data::Json destination_rule_spec(const Destination& destination, const Place& place);
/// In Services mode: the Service of one subset, named subset_service().
data::Json subset_service_spec(const Destination& destination, const Subset& subset);
/// Why it cannot be only Services: what only a DestinationRule can say; empty when it can.
std::vector<std::string> needs_destination_rule(const Destination& destination);

/// A subset of a live DestinationRule; null when it has none of that name.
const data::Json* find_subset(const data::Json& destination_rule, std::string_view name);

/// Adds to a DestinationRule's spec the subsets of the live one (null: none is live) that are not
/// in it and that `used` names, as they are live. Returns the names of what was added.
std::vector<std::string> keep_used_subsets(data::Json& spec, const data::Json* live,
                                           const std::vector<std::string>& used);

/// What of a destination a live routing object sends to.
struct Usage {
  bool host = false;                 ///< the destination at all
  std::vector<std::string> subsets;  ///< by name, each once
};
/// What a VirtualService (of the namespace `place`) uses of the destination with that full host.
Usage usage_by_virtual_service(const data::Json& virtual_service, std::string_view host,
                               const Place& place);
/// Does an HTTPRoute of the same namespace send to that Service?
bool http_route_uses(const data::Json& http_route, std::string_view service);

}  // namespace kubist::traffic
