#pragma once
#include <optional>
#include <vector>

#include <kubist/deployers/deployer.hpp>

#include "manifest/managed.hpp"
#include "manifest/manifest_plan.hpp"

namespace kubist::deployers {

/// Fills in namespaces, marks the objects as the item's, and finds what cannot be (unknown kinds,
/// wrong scopes, objects that are there twice) and may not be (limits.hpp), without a write.
util::Result<> resolve_plan(World& world, const Item& item, const Job& job, ManifestPlan& plan);

/// Makes the objects of a resolved plan as their policies say, and records their uids in `managed`;
/// what turned out to be somebody else's leaves it. The error of what could not be made.
std::optional<util::Error> apply_plan(World& world, const Item& item, const Job& job,
                                      const ManifestPlan& plan, std::vector<Managed>& managed);

}  // namespace kubist::deployers
