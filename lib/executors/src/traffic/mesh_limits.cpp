#include "traffic/mesh_limits.hpp"

#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/http/address.hpp>
#include <kubist/util/text.hpp>

#include "world/allow_lists.hpp"
#include "world/istio_wish.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

bool is_own_host(const TrafficPlace& place, std::string_view host) {
  return host.ends_with(cat('.', place.ns, ".svc.", place.names.domain));
}

bool is_numeric(std::string_view address) {
  static const auto any = http::Network::parse("::/0");
  return any->contains(address);
}

/// Whoever asks there asks itself: a gateway's own port of administration, say, or what the machine
/// keeps for its pods. Resolvers read "127.1" and "0x7f000001" as addresses, too.
bool is_proxys_own(std::string_view address) {
  if (is_numeric(address)) {
    return http::is_loopback_address(address) || http::is_link_local(address);
  }
  const auto name = address.substr(0, address.size() - (address.ends_with('.') ? 1 : 0));
  const auto last = name.substr(name.rfind('.') + 1);
  return last == "localhost" || last.starts_with("ip6-") || name.find_first_of("/:") != name.npos ||
         (!last.empty() && last.front() >= '0' && last.front() <= '9');
}

/// "NAMESPACE/" before a Gateway's host is about VirtualServices.
std::string plain_host(const Json& host) {
  const std::string text = host.is_string() ? host.get<std::string>() : "";
  return util::lower(text.substr(text.rfind('/') + 1));
}

/// The gateways besides mesh that the routes of the place name, as these write them.
std::set<std::string> named_gateways(const Work& work, const TrafficPlace& place) {
  std::set<std::string> names;
  const engine::Graph& graph = work.context().graph;
  for (const engine::NodeId id : place.virtual_cluster->children) {
    const bool route = graph[id].key.kind == "TrafficRoute";
    for (const Json& each : data::array_at(graph[id].spec(), {"gateways"})) {
      if (route && each.is_string() && each != traffic::k_mesh) {
        names.insert(each.get<std::string>());
      }
    }
  }
  return names;
}

/// Where the pods of these gateways are by Istio's custom: beside it. The namespace in a name is
/// the text of who writes the route: pods there that are no gateway's would follow what is
/// exported.
std::set<std::string> gateway_namespaces(const Work& work, const TrafficPlace& place) {
  std::set<std::string> found;
  if (place.virtual_cluster == nullptr || place.cluster_node == nullptr) {
    return found;
  }
  const std::string istio =
      istio_wish(work.context().graph, *place.cluster_node, place.cluster_node->spec()).scope.ns;
  if (!named_gateways(work, place).empty()) {
    found.insert(istio.empty() ? "istio-system" : istio);
  }
  return found;
}

}  // namespace

util::Result<> check_hosts(const Work& work, const TrafficPlace& place, const Json& hosts) {
  const auto allowed = allowed_by(work.context().graph, work.node(), "hosts");
  if (!allowed) {
    return {};
  }
  std::vector<std::string> foreign;
  for (const Json& each : hosts) {
    const std::string host = plain_host(each);
    const bool granted = std::any_of(
        allowed->begin(), allowed->end(),
        [&](const std::string& pattern) { return util::glob_match(util::lower(pattern), host); });
    if (!granted && !is_own_host(place, host)) {
      foreign.push_back(host);
    }
  }
  return foreign.empty() ? util::Result<>{}
                         : util::fail(refused(
                               "HostNotAllowed",
                               cat("the Project does not allow the host",
                                   foreign.size() == 1 ? " " : "s ", util::join(foreign, ", ")),
                               "Name others. An administrator can add hosts to spec.allow.hosts of "
                               "the Project or of the Root."));
}

util::Result<> check_endpoints(const Work& work, const TrafficPlace& place, const Json& spec) {
  Json names = Json::array();
  Json all = data::array_at(spec, {"hosts"});
  for (const Json& endpoint : data::array_at(spec, {"endpoints"})) {
    const auto address = data::string_at(endpoint, {"address"});
    all.push_back(address);
    if (!address.empty() && !is_numeric(address)) {
      names.push_back(address);
    }
  }
  for (const Json& each : all) {
    if (const std::string address = util::lower(data::string_at(each, {}));
        is_proxys_own(address)) {
      return util::fail(refused("AddressNotAllowed",
                                cat("the address ", address, " would be that of the proxy itself, ",
                                    "or of the machine below it"),
                                "Give the full name or the address of a server."));
    }
  }
  return check_hosts(work, place, names);
}

void limit_exports(const Work& work, const TrafficPlace& place, Json& spec) {
  const Json& hosts = data::array_at(spec, {"hosts"});
  const Json* gateways = data::find_path(spec, {"gateways"});
  const bool for_sidecars =
      gateways == nullptr ||
      std::find(gateways->begin(), gateways->end(), Json(traffic::k_mesh)) != gateways->end();
  const bool own = std::all_of(hosts.begin(), hosts.end(), [&](const Json& host) {
    return is_own_host(place, plain_host(host));
  });
  const auto more = allowed_by(work.context().graph, work.node(), "exportTo")
                        .value_or(std::vector<std::string>());
  if (!for_sidecars || own || std::find(more.begin(), more.end(), "*") != more.end()) {
    return;
  }
  std::set<std::string> to = gateway_namespaces(work, place);
  to.insert(more.begin(), more.end());
  to.erase(place.ns);
  to.insert(".");
  spec["exportTo"] = to;
}

}  // namespace kubist::executors
