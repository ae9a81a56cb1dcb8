#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/deployers/kept_lists.hpp>
#include <kubist/deployers/world.hpp>
#include <kubist/executors/world.hpp>

#include "keep/sites.hpp"
#include "world/work.hpp"

namespace kubist::executors {

/// What running or removing items for a node needs: its rights, lock and field manager. Valid as
/// long as `work`.
deployers::World items_world(Work& work);

/// What running items at home needs: the DeployItems of functions and of a release's jobs. Valid as
/// long as `world` and `stop`.
deployers::World home_items_world(World& world, const std::string& ns,
                                  const std::string& field_manager, const std::stop_token& stop);

/// An item of a project names no account: what it asks for is asked as the project's. Invalid, with
/// reason InvalidConfiguration: this one does.
util::Result<> check_account(const engine::Graph& graph, const data::Json& deploy_item);

/// Where no project owns the item's namespace: has `items` act as the ServiceAccount that the item
/// names, by default `default`, for all but DeployItems and the lock (ProjectAccounts::outside).
/// Charts come from addresses that the Root allows. What is left in a namespace that is going,
/// where no account has rights any more, is taken away as the caller. Valid as long as `graph`.
/// Errors: as of what it asks; invalid: the item names no account that could exist.
util::Result<> act_outside(deployers::World& items, Sites& sites, const engine::Graph& graph,
                           const data::Json& deploy_item, ProjectAccounts::Fallback fallback,
                           const std::stop_token& stop);

/// What items run with in this tree: with the images that its Root names.
deployers::Settings item_settings(const deployers::Settings& given, const engine::Graph& graph);

/// Did somebody else install the DeployItem kind? Who may not look at CRDs takes it for kubist's
/// own: the server refuses fields that it does not know.
util::Result<bool> has_foreign_items(kube::Client& home, const std::stop_token& stop);

/// In which namespaces the items of a run keep how many sets of objects.
deployers::KeptLists::Expected expected_items(const engine::Graph& graph,
                                              const std::vector<engine::NodeId>& selected);

}  // namespace kubist::executors
