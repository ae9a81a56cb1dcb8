#pragma once
#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/pod.hpp>

#include "item/requests.hpp"

/// State in a PersistentVolumeClaim: one of the item's own, or a folder of one that exists.
namespace kubist::deployers {

/// The claim that kubist makes. Pure.
Json state_claim(const Item& item, const StateClaim& wanted, const Job& job, const PodNames& names);

/// Makes the item's own claim where it is missing; it is never changed. Not_found, reason
/// ClaimNotFound: an existing one that does not exist.
util::Result<> ensure_state_claim(World& world, const kube::Target& target, const Item& item,
                                  const StateClaim& wanted, const Job& job, const PodNames& names);

/// Deletes the claim that kubist made, if it did.
util::Result<> remove_state_claim(World& world, const kube::Target& target, const Job& job,
                                  const PodNames& names);

}  // namespace kubist::deployers
