#pragma once
#include <optional>

#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/logs.hpp>
#include <kubist/deployers/pod.hpp>

#include "requests.hpp"

namespace kubist::deployers {

/// Makes everything that the pod needs, and the pod. Something else than nothing: why it cannot be
/// made yet (an older pod of the item still ends).
util::Result<std::optional<Progress>> start_pod(World& world, const Item& item,
                                                const Workload& workload, const Job& job,
                                                const PodNames& names);

/// Deletes the item's pods at the place but `keep`. Those that were there (they may take their
/// time).
util::Result<std::vector<std::string>> delete_pods(World& world, const Item& item, const Job& job,
                                                   const std::string& keep = {});

/// Checks the Secrets that the workload names: internal ones and those that give access to clusters
/// are refused. Their values go to `redactor`.
util::Result<> check_secrets(const Workload& workload, const Job& job, Redactor& redactor);

}  // namespace kubist::deployers
