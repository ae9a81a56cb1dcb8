#pragma once
#include <string_view>
#include <vector>

#include <kubist/deployers/deployer.hpp>

#include "manifest/manifest_plan.hpp"

/// What manifest and helm items may do where their place has limits (Place::limits). A place
/// without limits allows all of it. Errors name the entry of Project.spec.items.kinds that helps.
namespace kubist::deployers {

/// Does the Project list that kind in spec.items.kinds?
bool is_granted(const ItemLimits& limits, std::string_view group, std::string_view kind);

/// What of the objects that a resolved plan writes is not allowed: kinds that need a grant, fields
/// of pods (also of granted kinds: see PodGrants), accounts' token Secrets, kubist's own labels.
/// Denied, each with a reason. Pure.
std::vector<util::Error> manifest_problems(const ManifestPlan& plan, const Place& place);

/// The same, their namespaces, and the Secrets that their pods name. One error for all of it.
util::Result<> check_manifests(World& world, const Job& job, const ManifestPlan& plan);

/// May the item write over that live object? Denied, reason NameTaken: no item of the project made
/// it; of a Secret: another item did.
util::Result<> check_takeover(const Item& item, const Place& place, const Json& live);

/// May the item read objects in that namespace (empty: of the cluster)? Reason NamespaceNotAllowed.
util::Result<> check_readable_namespace(const Place& place, const std::string& ns);
/// May the item read that live object, in a namespace that it may read? Reason SecretNotAllowed or
/// KindNotAllowed. Secrets that nobody may read are refused without limits, too.
util::Result<> check_readable(const Item& item, const Place& place, const Json& live);

}  // namespace kubist::deployers
