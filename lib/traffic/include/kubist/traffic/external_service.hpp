#pragma once
#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::traffic {

/// The spec of the ServiceEntry (networking.istio.io, any served version) of an ExternalService
/// that the schema accepts. Hosts with a wildcard have no address that DNS knows: their resolution
/// is NONE by default. Invalid (all faults in `details`): a port or a port name twice, resolution
/// DNS for a wildcard without endpoints.
util::Result<data::Json> service_entry_spec(const data::Json& external_service);

}  // namespace kubist::traffic
