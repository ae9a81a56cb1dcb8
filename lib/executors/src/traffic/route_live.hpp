#pragma once
#include <optional>
#include <string>
#include <vector>

#include <kubist/traffic/checks.hpp>

#include "keep/owned_objects.hpp"
#include "keep/traffic_place.hpp"

namespace kubist::executors {

/// What a TrafficRoute becomes on its cluster.
struct RouteMode {
  bool http_route = false;
  kube::ApiResource resource;  ///< VirtualService or HTTPRoute
};

/// By spec.mode and what is served. Invalid: NotServed.
util::Result<RouteMode> route_mode(Work& work, const TrafficPlace& place);

/// What check_route wants to know, read now.
util::Result<traffic::Live> live_for(Work& work, const TrafficPlace& place,
                                     const traffic::Route& route, const RouteMode& mode);

/// Puts the names of the Services in place of those of the plan's Destinations.
void name_services(const Work& work, const TrafficPlace& place, traffic::Route& route);

/// Stalled with the first problem that waiting does not mend, else waiting for the others; nothing
/// where there is none.
std::optional<engine::Alignment> blocked_by(const std::vector<traffic::Problem>& problems);

/// The Service that exposeInternally asks for; nothing: not asked for, or a destination has the
/// name. Invalid: no port is known.
util::Result<std::optional<Wish>> internal_service(const TrafficPlace& place,
                                                   const traffic::Route& route);

/// Does the route newly send to a subset whose DestinationRule was written just now? Proxies get it
/// before the route then.
bool subsets_are_fresh(const TrafficPlace& place, const traffic::Route& route,
                       const traffic::Live& live, const std::string& owned,
                       std::chrono::system_clock::time_point now);

}  // namespace kubist::executors
