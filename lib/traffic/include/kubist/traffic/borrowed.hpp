#pragma once
#include <kubist/data/json.hpp>
#include <kubist/traffic/route.hpp>
#include <kubist/util/result.hpp>

namespace kubist::traffic {

/// The JSON Patch (RFC 6902) that gives a VirtualService of somebody else the route's weights, and
/// changes nothing else; empty where they are so already. It tests the uid, and names, destinations
/// and former weights of what it touches (the resourceVersion, where an http route has no name): a
/// server answers 409 or 422 when somebody changed these meanwhile, then the caller reads again and
/// asks again. What others change elsewhere in the object does not get in its way.
///
/// The route's rules are found by name among spec.http; a lone rule without a name (route-1) is
/// also the lone entry there. Each backend is found by host, subset and port (where it names one).
/// Invalid: a rule or backend that is not there, or a destination there that the route does not
/// name: its share would be anybody's guess.
util::Result<data::Json> borrowed_patch(const data::Json& live, const Route& route,
                                        const Place& place);

}  // namespace kubist::traffic
