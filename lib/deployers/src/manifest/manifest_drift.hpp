#pragma once
#include <vector>

#include <kubist/deployers/deployer.hpp>

#include "manifest/managed.hpp"

namespace kubist::deployers {

/// What of an item's recorded objects is gone, was made again, or has fields that the item had
/// applied and that somebody else changed or removed. By metadata only: no chart is rendered, no
/// Secret read. What is being deleted counts when it is gone; what another item has taken over, and
/// what is of drift Ignore, as Jobs and Pods are by default, does not. Tells World::keeps. Errors:
/// as apply::find_owned.
util::Result<std::vector<Drifted>> find_drift(World& world, const Item& item, const Place& place);

/// Tells World::keeps what the item keeps, as `managed` has it. What that throws is said, and fails
/// nothing.
void tell_kept(const World& world, const Item& item, const Place& place,
               const std::vector<Managed>& managed);
/// The same of an item that goes: it keeps nothing any more.
void tell_gone(const World& world, const Item& item);

}  // namespace kubist::deployers
