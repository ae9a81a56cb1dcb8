#pragma once
#include <kubist/data/json.hpp>
#include <kubist/traffic/route.hpp>
#include <kubist/util/result.hpp>

namespace kubist::traffic {

/// The JSON Patch (RFC 6902) that gives a VirtualService of somebody else the route's weights, and
/// changes nothing else; empty where they are so already. It tests the resourceVersion, and names
/// and hosts of what it touches: a server answers 409 or 422 when somebody was faster, then the
/// caller reads again and asks again.
///
/// The route's rules are found by name among spec.http; a lone rule without a name (route-1) is
/// also the lone entry there. Each backend is found by host, subset and port (where it names one).
/// Invalid: a rule or backend that is not there, or a destination there that the route does not
/// name: its share would be anybody's guess.
util::Result<data::Json> borrowed_patch(const data::Json& live, const Route& route,
                                        const Place& place);

}  // namespace kubist::traffic
