#pragma once

#include <kubist/data/json.hpp>
#include <kubist/traffic/route.hpp>
#include <kubist/util/result.hpp>

namespace kubist::traffic {

/// The spec of the VirtualService (networking.istio.io, any served version) that makes the route
/// so. Hosts are full names; a rule's conditions become its matches; equal routes give equal specs.
/// Invalid: a condition that VirtualService cannot express (one part of a request asked for twice
/// in one alternative; four cookies in one), with the columns.
util::Result<data::Json> virtual_service_spec(const Route& route, const Place& place);

}  // namespace kubist::traffic
