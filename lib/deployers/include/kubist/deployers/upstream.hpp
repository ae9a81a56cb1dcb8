#pragma once
#include <string>

#include <kubist/data/json.hpp>

/// DeployItems in the fields of gardener/landscaper's own CRD, for clusters where somebody else
/// installed it: what that CRD does not know goes into `config` and `providerStatus`, which are
/// each deployer's own there. Pure; reading leaves what was never written so as it is.
namespace kubist::deployers {

using data::Json;

/// config.kubist holds import, exports and exportSchema; a target names its namespace.
Json to_upstream_spec(Json spec, const std::string& ns);
Json from_upstream_spec(Json spec);

/// providerStatus holds exports, exportGeneration and handledRequest; what is required there is
/// never missing.
Json to_upstream_status(Json status);
/// The status of a DeployItem, in either form; what is not of the type that it has there reads as
/// absent. In providerStatus, which is each deployer's own, anything may stand.
Json sound_status(const Json& deploy_item);
Json from_upstream_status(Json status);

}  // namespace kubist::deployers
