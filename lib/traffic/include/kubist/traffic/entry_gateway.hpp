#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::traffic {

/// The spec of the Gateway (networking.istio.io, any served version) of an EntryGateway that the
/// schema accepts. Invalid (all faults in `details`): a port name twice.
util::Result<data::Json> gateway_spec(const data::Json& entry_gateway);

/// The labels of the pods that an EntryGateway is for.
data::Json gateway_selector(const data::Json& entry_gateway);

/// Where clients reach pods behind these Services: load balancers' addresses, else external IPs,
/// else cluster IPs; only of Services that select one of the pods. Sorted, each once.
std::vector<std::string> gateway_addresses(const std::vector<data::Json>& services,
                                           const std::vector<data::Json>& pods);

}  // namespace kubist::traffic
