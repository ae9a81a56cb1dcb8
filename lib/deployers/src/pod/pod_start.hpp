#pragma once
#include <optional>
#include <set>
#include <string>

#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/logs.hpp>
#include <kubist/deployers/pod.hpp>

#include "item/requests.hpp"

namespace kubist::deployers {

/// One of them, or neither: the pod was there already.
struct Started {
  std::optional<Json> pod;          ///< as it was made
  std::optional<Progress> blocked;  ///< why it cannot be made yet: an older pod still ends
};

/// Makes everything that the pod needs, and the pod.
util::Result<Started> start_pod(World& world, const Item& item, const Workload& workload,
                                const Job& job, const PodNames& names);

/// The item's pods at the place.
util::Result<std::vector<Json>> item_pods(World& world, const Item& item, const Place& place);

/// Deletes the item's pods at the place but `keep`. Those that were there (they may take their
/// time).
util::Result<std::vector<std::string>> delete_pods(World& world, const Item& item, const Job& job,
                                                   const std::string& keep = {});

/// Checks the Secrets that the workload names: internal ones and those that give access to clusters
/// are refused. Their values go to `redactor`. Returns those that do not exist and are optional.
util::Result<std::set<std::string>> check_secrets(const Workload& workload, const Job& job,
                                                  Redactor& redactor);

}  // namespace kubist::deployers
