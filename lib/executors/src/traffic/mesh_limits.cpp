#include "traffic/mesh_limits.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/http/address.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/base64.hpp>
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

bool is_sha256(const std::string& text) {
  std::string digits = util::lower(text);
  std::erase(digits, ':');
  const bool hex =
      digits.size() == 64 && digits.find_first_not_of("0123456789abcdef") == digits.npos;
  const auto bytes = util::base64_decode(text);
  return hex || (bytes && bytes->size() == 32);
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

/// The namespaces of the project's virtual clusters on the place's cluster.
std::set<std::string> own_namespaces(const Work& work, const TrafficPlace& place) {
  std::set<std::string> names{place.ns};
  if (place.cluster_node == nullptr) {
    return names;
  }
  for (const engine::NodeId id : place.cluster_node->children) {
    const engine::Node& node = work.context().graph[id];
    if (node.key.kind == "VirtualCluster" && node.key.ns == work.node().key.ns) {
      names.insert(resources::virtual_cluster_namespace(*node.object));
    }
  }
  return names;
}

/// Why a field of Istio's stays out of what kubist writes for a member; null: it does not.
const char* why_not(std::string_view key, const Json& value) {
  constexpr std::uint64_t k_largest_table = 65'537;  // that of Envoy's Maglev
  static const std::set<std::string_view> files{"clientCertificate", "privateKey", "caCertificates",
                                                "serverCertificate", "caCrl"};
  if (files.contains(key)) {
    return "names a file of the proxy: use credentialName";
  }
  if (key == "minimumRingSize" || key == "tableSize") {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    std::uint64_t entries = 0;  // protobuf's JSON has numbers of 64 bits as texts, too
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), entries);
    const bool small =
        error == std::errc{} && end == text.data() + text.size() && entries <= k_largest_table;
    return small ? nullptr : "may be 65,537 at most";
  }
  if (key == "verifyCertificateHash" || key == "verifyCertificateSpki") {
    const auto hashes = data::strings_at(value, {});
    const bool good = value.is_array() && hashes.size() == value.size() &&
                      std::all_of(hashes.begin(), hashes.end(), is_sha256);
    return good ? nullptr : "has to be a list of SHA-256 hashes, in hexadecimal or base64";
  }
  return nullptr;
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

util::Result<> check_backends(const Work& work, const TrafficPlace& place,
                              const traffic::Route& route) {
  const std::set<std::string> own = own_namespaces(work, place);
  const std::string suffix = cat(".svc.", place.names.domain);
  Json foreign = Json::array();
  const auto look = [&](const traffic::Backend& backend) {
    const std::string host = util::lower(traffic::full_host(backend.destination, place.names));
    if (!host.ends_with(suffix)) {
      return;  // check_route() knows it by an ExternalService, whose hosts were judged
    }
    const std::string before = host.substr(0, host.size() - suffix.size());
    if (!own.contains(before.substr(before.rfind('.') + 1))) {
      foreign.push_back(host);
    }
  };
  for (const traffic::Rule& rule : route.rules) {
    std::for_each(rule.backends.begin(), rule.backends.end(), look);
    if (rule.mirror) {
      look(rule.mirror->to);
    }
  }
  return check_hosts(work, place, foreign);
}

util::Result<> check_istio_fields(const std::string& what, const Json& value) {
  for (const auto& [key, inner] : value.items()) {
    const std::string field = cat(what, '.', key);
    if (const char* why = why_not(key, inner); why != nullptr) {
      return util::fail(
          refused("FieldNotAllowed", cat(field, " ", why),
                  "Take it away, or write the object yourself, with rights of yours."));
    }
    if (inner.is_structured()) {
      KUBIST_CHECK(check_istio_fields(field, inner));
    }
  }
  return {};
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
