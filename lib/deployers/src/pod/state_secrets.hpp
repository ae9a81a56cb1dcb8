#pragma once
#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/pod.hpp>
#include <kubist/state/head.hpp>

#include "item/requests.hpp"

namespace kubist::deployers {

/// Makes the head Secret of an item's state and as many chunk Secrets as state of `limit` bytes
/// needs (none up to 900 KiB), where they are missing. The head that is current. Invalid, reason
/// CorruptState: a chunk of the current state is missing; nothing is made in its place. With
/// `replace_corrupt` that is no matter, and a head that cannot be read counts as none.
util::Result<state::Head> ensure_state_secrets(World& world, const kube::Target& target,
                                               const Item& item, const Job& job,
                                               const PodNames& names, std::size_t limit,
                                               bool replace_corrupt = false);

/// Removes all chunk Secrets of the item, whatever limit they were made for.
util::Result<> remove_chunks(World& world, const kube::Target& target, const Item& item,
                             const Job& job, const PodNames& names);

}  // namespace kubist::deployers
