#include "world/cluster_servers.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/executors/object_source.hpp>
#include <kubist/http/url.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

/// The same error may come from a request: where a name leads is known then.
util::Error server_not_allowed(std::string message) {
  return util::make_error(ErrorKind::forbidden, std::move(message), allow_clusters_hint(),
                          std::string(http::k_failure_address));
}

/// A pattern of spec.allow.clusters: "https://HOST[:PORT]".
struct ServerPattern {
  std::string host;
  std::string port = "443";
};

ServerPattern server_pattern(std::string_view text) {
  constexpr std::string_view k_scheme = "https://";
  text.remove_prefix(text.starts_with(k_scheme) ? k_scheme.size() : 0);
  ServerPattern pattern;
  const auto bracket = text.starts_with('[') ? text.find(']') : text.npos;
  const auto colon = text.find(':', bracket == text.npos ? 0 : bracket);
  pattern.host =
      util::lower(bracket == text.npos ? text.substr(0, colon) : text.substr(1, bracket - 1));
  if (colon != text.npos) {
    pattern.port = text.substr(colon + 1);
  }
  return pattern;
}

void add_patterns(const Json& spec, AllowedServers& allowed) {
  const Json* list = data::find_path(spec, {"allow", "clusters"});
  if (list == nullptr || !list->is_array()) {
    return;
  }
  auto& patterns = allowed.patterns ? *allowed.patterns : allowed.patterns.emplace();
  for (std::string& pattern : data::strings_at(*list, {})) {
    patterns.push_back(std::move(pattern));
  }
}

bool nobody_tells(const util::Error& error) {
  return error.kind == ErrorKind::forbidden || error.kind == ErrorKind::not_found;
}

void add_network(const std::string& text, std::vector<http::Network>& networks) {
  if (auto network = http::Network::parse(text)) {
    networks.push_back(*network);
  }
}

void add_network_around(const std::string& address, std::vector<http::Network>& networks) {
  add_network(cat(address, address.find(':') == std::string::npos ? "/16" : "/108"), networks);
}

const kube::ApiResource& service_cidrs() {
  static const kube::ApiResource k_resource = [] {
    kube::ApiResource made;
    made.group = "networking.k8s.io";
    made.version = "v1";
    made.plural = "servicecidrs";
    made.kind = "ServiceCIDR";
    return made;
  }();
  return k_resource;
}

}  // namespace

std::string allow_clusters_hint() {
  return "An administrator can name it in spec.allow.clusters of the Project or of the Root.";
}

AllowedServers allowed_servers(const engine::Graph& graph, const engine::Node& node) {
  AllowedServers allowed;
  for (engine::NodeId id = node.id; id != engine::k_no_node; id = graph[id].parent) {
    if (graph[id].key.kind == "Project" || graph[id].key.kind == "Root") {
      add_patterns(graph[id].spec(), allowed);
    }
  }
  return allowed;
}

util::Result<AllowedServers> allowed_servers(kube::Client& home, const std::string& ns,
                                             const std::stop_token& stop) {
  AllowedServers allowed;
  kube::ListOptions list;
  list.max_memory = kube::k_max_command_list_memory;  // an administrator makes them
  for (const char* kind : {"Root", "Project"}) {
    const auto listed = home.list(
        resource_of(*resources::find_kind(resources::k_kubist_group, kind)), "", list, stop);
    if (!listed && !nobody_tells(listed.error())) {
      return util::fail(listed.error());
    }
    for (const Json& each : listed ? listed->items : std::vector<Json>{}) {
      if (std::string_view(kind) == "Root" || resources::project_namespace(each) == ns) {
        add_patterns(resources::ObjectView(each).spec(), allowed);
      }
    }
  }
  return allowed;
}

util::Result<std::vector<http::Network>> service_networks(kube::Client& home,
                                                          const std::stop_token& stop) {
  std::vector<http::Network> networks;
  const auto ranges = home.list(service_cidrs(), "", {}, stop);
  if (!ranges && !nobody_tells(ranges.error())) {
    return util::fail(ranges.error());
  }
  for (const Json& range : ranges ? ranges->items : std::vector<Json>{}) {
    for (const std::string& block : data::strings_at(range, {"spec", "cidrs"})) {
      add_network(block, networks);
    }
  }
  if (!networks.empty()) {
    return networks;
  }
  const auto service = home.find(kube::well_known::services(), "default", "kubernetes", stop);
  if (!service && !nobody_tells(service.error())) {
    return util::fail(service.error());
  }
  if (service && *service) {
    for (const auto& address : data::strings_at(**service, {"spec", "clusterIPs"})) {
      add_network_around(address, networks);
    }
  }
  if (networks.empty()) {
    add_network_around(util::environment("KUBERNETES_SERVICE_HOST"), networks);
  }
  return networks;
}

util::Result<http::AddressRule> ClusterServers::general_rule(const std::stop_token& stop) {
  return m_general_rule.get(0, [&]() -> util::Result<http::AddressRule> {
    KUBIST_TRY(auto services, service_networks(*m_home, stop));
    return http::AddressRule(
        [services = std::move(services)](std::string_view address) -> std::string {
          if (std::string what = http::refuse_link_local(address); !what.empty()) {
            return what;
          }
          if (http::is_loopback_address(address) || http::is_loopback(address)) {
            return "a loopback address";
          }
          const bool of_service =
              std::any_of(services.begin(), services.end(),
                          [&](const http::Network& each) { return each.contains(address); });
          return of_service ? "an address of the home cluster's Services" : "";
        });
  });
}

util::Result<ClusterServers::Way> ClusterServers::way_to(const std::string& server,
                                                         const AllowedServers& allowed,
                                                         const std::string& called,
                                                         const std::stop_token& stop) {
  KUBIST_TRY(const http::Url url, http::parse_url(server));
  Way way;
  bool matched = !allowed.patterns.has_value();
  for (const std::string& text : allowed.patterns.value_or(std::vector<std::string>{})) {
    const ServerPattern pattern = server_pattern(text);
    if (util::glob_match(pattern.host, util::lower(url.host)) &&
        util::glob_match(pattern.port, std::to_string(url.port))) {
      matched = true;
      way.named = way.named || pattern.host.find('*') == std::string::npos;
    }
  }
  if (!matched) {
    return util::fail(server_not_allowed(
        cat(called, ": the server ", server, " is not one that the Project allows")));
  }
  http::AddressRule rule = http::refuse_link_local;
  if (!way.named) {
    KUBIST_TRY(rule, general_rule(stop));
  }
  if (const std::string what = rule(url.host); !what.empty()) {
    return util::fail(server_not_allowed(cat(called, ": the server ", server, " is ", what)));
  }
  const std::lock_guard lock(m_mutex);
  auto& engine = way.named ? m_named : m_general;
  if (!engine) {
    engine = std::make_shared<http::CurlEngine>(http::GovernorOptions{}, rule);
  }
  way.engine = engine;
  return way;
}

}  // namespace kubist::executors
