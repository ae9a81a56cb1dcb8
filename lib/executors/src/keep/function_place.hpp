#pragma once
#include <functional>
#include <string>

#include <kubist/engine/executor.hpp>

#include "keep/owned_objects.hpp"

namespace kubist::executors {

/// Where the objects of a node's function are, and as whom they are handled:
/// - what has a virtual cluster, and a VirtualCluster itself: in its namespace, as the project's
///   account (at a target: as its kubeconfig's),
/// - Project, and an Execution without a virtual cluster: in the project's namespace, as the
///   project's account,
/// - Cluster: on that cluster, in no namespace of its own, as its kubeconfig's account; Root, and a
///   Cluster that is the home cluster: as ServiceAccount `account` of kubist-system.
/// The client is null where such an account is needed and `account` is empty: then nothing may be
/// made. Forbidden, reason AccountNotYours; else as traffic_place(). `removing`: in a namespace
/// that goes or is gone kubist itself tidies.
util::Result<TrafficPlace> function_place(Work& work, const std::string& account, bool removing);

/// Deletes what status.executor.inventory has of the node. On whose behalf is the word of the
/// definition that status.executor.name names, as it is now: a status is a member's text. Without
/// one, what an account of kubist-system made is deleted by --own-rights only (AccountNotYours).
/// With the node: as OwnedObjects::remove_all(). Without it (it names that executor no more): never
/// orphaned.
util::Result<engine::Removal> remove_function_objects(Work& work, bool with_node);

/// Deletes what an inventory has in that place with its node. What cannot be deleted, or reached,
/// is let go of by --abandon; so is what cannot be reached with its virtual cluster gone.
util::Result<engine::Removal> remove_listed(
    Work& work, const data::Json& inventory, const util::Result<TrafficPlace>& place,
    const std::function<Users(const TrafficPlace& place)>& users, Orphans orphans);

}  // namespace kubist::executors
