#pragma once
#include <string>

#include <kubist/engine/executor.hpp>
#include <kubist/traffic/route.hpp>

#include "traffic/route_live.hpp"

namespace kubist::executors {

/// Gives somebody else's VirtualService the route's weights, by patches that fail when it was
/// changed since it was looked at, and then looks again. Fills in conditions, inventory and what is
/// live. Invalid: BorrowedNotFound, CannotBorrow (HTTPRoute), a route that the object does not
/// have.
util::Result<> keep_borrowed_route(Work& work, const TrafficPlace& place,
                                   const traffic::Route& route, const RouteMode& mode,
                                   const std::string& name, engine::Alignment& alignment);

}  // namespace kubist::executors
