#pragma once
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/traffic/route.hpp>

namespace kubist::traffic {

/// status.routes of a TrafficRoute whose object is as wanted; `routes`: spec.routes, for what the
/// conditions say.
data::Json route_status(const Route& route, const data::Json& routes);

/// status.routes as a live VirtualService has them, whoever wrote it.
data::Json live_route_status(const data::Json& virtual_service, const Place& place);

/// status.weights: "web v1 80 %, web v2 20 %; api 100 %" of status.routes.
std::string weights_text(const data::Json& route_status);

}  // namespace kubist::traffic
