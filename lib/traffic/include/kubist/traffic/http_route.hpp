#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/traffic/route.hpp>
#include <kubist/util/result.hpp>

namespace kubist::traffic {

/// The spec of the HTTPRoute (gateway.networking.k8s.io/v1) that makes the route so. Subsets are
/// Services of their own (subset_service()); traffic within the mesh hangs on the Services that the
/// hosts name. Ports of backends must be known (not 0).
///
/// Invalid, all faults in `details`: what HTTPRoute's standard channel lacks (`not`, scheme,
/// authority, port, retries, hosts outside as backends), more than 16 rules, and an order of rules
/// that it would not keep: it takes the most specific match, not the first.
util::Result<data::Json> http_route_spec(const Route& route, const Place& place);

/// What reads the same and does not mean the same as in a VirtualService, one sentence each: its
/// prefixes are whole path elements.
std::vector<std::string> http_route_notes(const Route& route);

}  // namespace kubist::traffic
