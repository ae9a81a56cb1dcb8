#include "traffic/route_live.hpp"

#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/traffic/destination.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "world/shared_lists.hpp"

namespace kubist::executors {

using data::Json;
using resources::ObjectView;
using traffic::Live;
using util::cat;

util::Result<RouteMode> route_mode(Work& work, const TrafficPlace& place) {
  const std::string_view said = data::string_at(work.spec(), {"mode"}, "Auto");
  if (said != "HTTPRoute") {
    KUBIST_TRY(const auto found, served(work, place, k_istio_group, "VirtualService"));
    if (found) {
      return RouteMode{false, *found};
    }
    if (said == "VirtualService") {
      return require_served(work, place, k_istio_group, "VirtualService")
          .map([](const kube::ApiResource& resource) {
            return RouteMode{false, resource};
          });
    }
  }
  KUBIST_TRY(const auto found, served(work, place, k_gateway_api_group, "HTTPRoute"));
  if (!found) {
    return util::fail(refused("NotServed",
                              said == "HTTPRoute"
                                  ? "the cluster does not serve HTTPRoute"
                                  : "the cluster serves neither VirtualService nor HTTPRoute",
                              "Install Istio (kubist istio install) or the Gateway API's CRDs."));
  }
  return RouteMode{true, *found};
}

namespace {

/// Gateways of other namespaces that the route names; what may not be read is taken to be there.
util::Result<> add_foreign_gateways(Work& work, const TrafficPlace& place,
                                    const traffic::Route& route, const kube::ApiResource& resource,
                                    Live& live) {
  for (const std::string& name : route.gateways) {
    const auto slash = name.find('/');
    if (slash == std::string::npos || name.substr(0, slash) == place.ns) {
      continue;
    }
    const std::string ns = name.substr(0, slash);
    auto found = place.client->find(resource, ns, name.substr(slash + 1), work.stop());
    if (!found && found.error().kind != util::ErrorKind::forbidden) {
      return util::fail(found.error());
    }
    if (!found) {
      live.foreign_gateways.push_back(
          {{"metadata", {{"name", name.substr(slash + 1)}, {"namespace", ns}}},
           {"spec", Json::object()}});
    } else if (*found) {
      live.foreign_gateways.push_back(**std::move(found));
    }
  }
  return {};
}

}  // namespace

util::Result<Live> live_for(Work& work, const TrafficPlace& place, const traffic::Route& route,
                            const RouteMode& mode) {
  Live live;
  tell_of_pods(work, place);
  const auto read = [&](const kube::ApiResource& resource, traffic::LiveObjects& into) {
    const auto list = work.world().lists->list(*place.client, resource, place.ns,
                                               work.node().key.ns, work.stop());
    if (list) {
      into = traffic::LiveObjects(*list);
      return util::Result<>{};
    }
    return util::Result<>(util::fail(list.error()));
  };
  KUBIST_CHECK(read(kube::well_known::services(), live.services));
  KUBIST_CHECK(read(kube::well_known::pods(), live.pods));
  if (mode.http_route) {
    return live;
  }
  KUBIST_CHECK(read(mode.resource, live.virtual_services));
  const std::pair<const char*, traffic::LiveObjects*> kinds[] = {
      {"DestinationRule", &live.destination_rules},
      {"Gateway", &live.gateways},
      {"ServiceEntry", &live.service_entries}};
  for (const auto& [kind, into] : kinds) {
    KUBIST_TRY(const auto resource, served(work, place, k_istio_group, kind));
    if (resource) {
      KUBIST_CHECK(read(*resource, *into));
    }
    if (resource && into == &live.gateways) {
      KUBIST_CHECK(add_foreign_gateways(work, place, route, *resource, live));
    }
  }
  return live;
}

void name_services(const Work& work, const TrafficPlace& place, traffic::Route& route) {
  const engine::Graph& graph = work.context().graph;
  const auto rename = [&](traffic::Backend& backend) {
    for (const engine::NodeId id : place.virtual_cluster != nullptr
                                       ? place.virtual_cluster->children
                                       : std::vector<engine::NodeId>{}) {
      const engine::Node& node = graph[id];
      if (node.key.kind == "Destination" && node.key.name == backend.destination) {
        backend.destination = data::string_at(node.spec(), {"object", "name"}, backend.destination);
        return;
      }
    }
  };
  for (traffic::Rule& rule : route.rules) {
    std::for_each(rule.backends.begin(), rule.backends.end(), rename);
    if (rule.mirror) {
      rename(rule.mirror->to);
    }
  }
}

std::optional<engine::Alignment> blocked_by(const std::vector<traffic::Problem>& problems) {
  if (problems.empty()) {
    return std::nullopt;
  }
  const auto final = std::find_if(problems.begin(), problems.end(),
                                  [](const traffic::Problem& each) { return !each.may_pass; });
  std::vector<std::string> messages;
  for (const traffic::Problem& problem : problems) {
    messages.push_back(problem.message);
  }
  const std::string all = util::join(messages, "; ");
  if (final == problems.end()) {
    return waiting(problems.front().reason, "nothing is written yet: " + all,
                   std::chrono::seconds(1));
  }
  engine::Alignment alignment;
  alignment.outcome = engine::Outcome::stalled;
  alignment.reason = final->reason;
  alignment.message =
      cat("nothing is written: ", all, final->hint.empty() ? "" : ". ", final->hint);
  return alignment;
}

util::Result<std::optional<Wish>> internal_service(const TrafficPlace& place,
                                                   const traffic::Route& route) {
  if (!route.expose_internally) {
    return std::nullopt;
  }
  const std::string own = traffic::full_host(route.name, place.names);
  std::set<int> ports;
  for (const traffic::Rule& rule : route.rules) {
    for (const traffic::Backend& backend : rule.backends) {
      if (traffic::full_host(backend.destination, place.names) == own) {
        return std::nullopt;
      }
      if (backend.port != 0) {
        ports.insert(backend.port);
      }
    }
  }
  if (ports.empty()) {
    return util::fail(refused("NoPort", "exposeInternally needs a port, and no destination has one",
                              "Name the ports of the destinations in spec.routes."));
  }
  Json spec{{"ports", Json::array()}};
  for (const int port : ports) {
    spec["ports"].push_back(
        {{"name", cat("http-", port)}, {"port", port}, {"protocol", "TCP"}, {"targetPort", port}});
  }
  return spec_wish(kube::well_known::services(), route.name, std::move(spec));
}

namespace {

std::string newest_write(const Json& object) {
  std::string newest;
  const Json* fields = data::find_path(object, {"metadata", "managedFields"});
  for (const Json& entry : fields != nullptr ? *fields : Json::array()) {
    newest = std::max(newest, std::string(data::string_at(entry, {"time"})));
  }
  return newest;
}

}  // namespace

bool subsets_are_fresh(const TrafficPlace& place, const traffic::Route& route, const Live& live,
                       const std::string& owned, std::chrono::system_clock::time_point now) {
  constexpr std::chrono::seconds k_push_time{2};
  const auto present =
      std::find_if(live.virtual_services.begin(), live.virtual_services.end(),
                   [&](const Json& each) { return ObjectView(each).name() == owned; });
  for (const traffic::Rule& rule : route.rules) {
    for (const traffic::Backend& backend : rule.backends) {
      const std::string host = traffic::full_host(backend.destination, place.names);
      const auto usage = present != live.virtual_services.end()
                             ? traffic::usage_by_virtual_service(*present, host, place.names)
                             : traffic::Usage{};
      if (backend.version.empty() || std::find(usage.subsets.begin(), usage.subsets.end(),
                                               backend.version) != usage.subsets.end()) {
        continue;
      }
      for (const Json& each : live.destination_rules) {
        const auto written = util::parse_time(newest_write(each));
        const bool same =
            traffic::full_host(data::string_at(each, {"spec", "host"}), place.names) == host;
        if (same && written && *written <= now && now - *written < k_push_time) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace kubist::executors
