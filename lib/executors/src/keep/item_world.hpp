#pragma once
#include <stop_token>
#include <string>

#include <kubist/deployers/world.hpp>
#include <kubist/engine/graph.hpp>
#include <kubist/executors/world.hpp>

#include "world/work.hpp"

namespace kubist::executors {

/// Where a target's pods run: its VirtualCluster's namespace on that cluster, or (no target) the
/// project's own. Not_found: no such VirtualCluster in `ns`. Invalid, reason NamespaceNotAllowed:
/// its namespace of the home cluster is none that its Project may use.
util::Result<deployers::Place> place_of(const std::shared_ptr<kube::Client>& home,
                                        const std::string& home_uid, Connections& connections,
                                        const engine::Graph& graph, const std::string& ns,
                                        const std::string& target, const std::stop_token& stop);

/// The same for the work of items: with what the Project lets them do (Place::limits and
/// Place::check_chart_address, valid as long as `graph`), and asking whether the namespace of the
/// home cluster is in fact the VirtualCluster's.
util::Result<deployers::Place> item_place_of(const std::shared_ptr<kube::Client>& home,
                                             const std::string& home_uid, Connections& connections,
                                             const engine::Graph& graph, const std::string& ns,
                                             const std::string& target,
                                             const std::stop_token& stop);

/// What running or removing items for a node needs: its rights, lock and field manager. Valid as
/// long as `work`.
deployers::World items_world(Work& work);

/// What running items at home needs: the DeployItems of functions and of a release's jobs. Valid as
/// long as `world` and `stop`.
deployers::World home_items_world(World& world, const std::string& ns,
                                  const std::string& field_manager, const std::stop_token& stop);

/// Did somebody else install the DeployItem kind? Who may not look at CRDs takes it for kubist's
/// own: the server refuses fields that it does not know.
util::Result<bool> has_foreign_items(kube::Client& home, const std::stop_token& stop);

}  // namespace kubist::executors
