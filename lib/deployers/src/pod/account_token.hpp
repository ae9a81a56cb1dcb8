#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/pod.hpp>

#include "item/requests.hpp"

namespace kubist::deployers {

/// Is that account among those of a Project's spec.items.serviceAccounts?
bool is_allowed_account(const std::vector<std::string>& patterns, std::string_view account);

/// May the workload have a token of the account that it names? Denied, reason AccountNotAllowed.
util::Result<> check_account(const Workload& workload, const Place& place);

/// A fresh token of the workload's account, in a Secret that only the workload mounts: a pod's
/// projected tokens can only be of the pod's own account, which is the agent's. It is bound to that
/// Secret and ends with it. Not_found, reason AccountNotFound.
util::Result<> make_account_token(World& world, const kube::Target& target, const Item& item,
                                  const Workload& workload, const Job& job, const PodNames& names);

/// Takes it back. Harmless where there is none.
util::Result<> remove_account_token(World& world, const kube::Target& target, const Job& job,
                                    const PodNames& names);

}  // namespace kubist::deployers
