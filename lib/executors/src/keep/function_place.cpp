#include "keep/function_place.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/text.hpp>

#include "keep/managed.hpp"
#include "keep/sites.hpp"

namespace kubist::executors {

using data::Json;

namespace {

/// In the namespace of a virtual cluster, or (no target) of the project.
util::Result<TrafficPlace> project_place(Work& work, const std::string& ns,
                                         const std::string& target, bool removing) {
  const engine::Graph& graph = work.context().graph;
  Sites& sites = work.world().sites;
  KUBIST_CHECK(require_project(graph, ns));
  KUBIST_TRY(const auto found, removing || work.node().deleting
                                   ? sites.for_removal(graph, ns, target, work.stop())
                                   : sites.of(graph, ns, target, work.stop()));
  TrafficPlace place;
  place.client = found.objects();
  place.delete_client = found.deletions();
  place.own_client = sites.own(found);
  place.cluster = found.cluster;
  place.ns = place.names.ns = found.ns;
  return place;
}

util::Result<TrafficPlace> home_place(Work& work, const std::string& account) {
  ProjectAccounts& accounts = work.world().sites.accounts();
  TrafficPlace place;
  place.by_account = true;
  place.own_client = work.world().home;
  if (!account.empty()) {
    KUBIST_TRY(place.client, accounts.client_as(std::string(setup::k_controller_namespace), account,
                                                work.stop()));
    if (const auto& tell = work.world().makes_as) {
      tell(work.node().key, place.client);
    }
  }
  place.delete_client = accounts.deletions_of(place.client);
  return place;
}

util::Result<TrafficPlace> cluster_place(Work& work, const std::string& account) {
  const engine::Node& node = work.node();
  World& world = work.world();
  KUBIST_TRY(
      const auto connection,
      world.connections.connect(effective_object(work), allowed_servers(work.context().graph, node),
                                false, work.stop()));
  if (connection->uid == world.home_uid) {
    return home_place(work, account);
  }
  TrafficPlace place;
  place.client = place.delete_client = place.own_client = connection->client;
  place.cluster = node.key.name;
  return place;
}

/// That of the definition which is in force, where it is for nodes like this one: who may write a
/// status names no definition of another kind, nor another account by it.
std::string account_of(const World& world, const engine::Node& node, std::string_view definition) {
  const auto found = world.functions.find(definition);
  if (found == world.functions.end() || !found->second) {
    return "";
  }
  const auto& kinds = found->second->kinds;
  return std::find(kinds.begin(), kinds.end(), node.key.kind) != kinds.end()
             ? found->second->account
             : "";
}

util::Result<engine::Removal> remove_from(
    Work& work, const Json& inventory, const TrafficPlace& place,
    const std::function<Users(const TrafficPlace& place)>& users, Orphans orphans) {
  if (place.delete_client == nullptr) {
    return util::fail(util::make_error(
        util::ErrorKind::forbidden, "no definition says as whom its executor's objects are deleted",
        "Delete them with your own rights: --own-rights.", k_account_not_yours));
  }
  // What goes with the whole namespace needs nobody's leave.
  const bool all_goes =
      place.virtual_cluster != nullptr && work.context().graph.deleting(place.virtual_cluster->id);
  auto removed =
      OwnedObjects(work, place, inventory).remove_all(all_goes ? Users{} : users(place), orphans);
  const bool denied = !removed && removed.error().http_status == 403;
  if (denied && place.by_account && !work.world().sites.accounts().own_rights()) {
    removed.error().hint += " Or --own-rights deletes it with your own.";
  }
  return removed;
}

/// What is still there of an inventory, as far as somebody may look.
std::vector<std::string> left_of(const Json& inventory, const util::Result<TrafficPlace>& place,
                                 const std::stop_token& stop) {
  std::vector<apply::Recorded> entries;
  for (const Json& entry : inventory) {
    entries.push_back(read_entry(entry));
  }
  std::vector<util::Result<apply::Owned>> found;
  if (place && place->delete_client != nullptr) {
    found = apply::find_owned(*place->delete_client, entries, kube::Form::metadata, stop);
  }
  std::vector<std::string> left;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool checked = i < found.size() && found[i];
    if (!checked || !found[i]->live.is_null()) {
      left.push_back(util::cat(resources::to_string(entries[i].ref), checked ? "" : k_unchecked));
    }
  }
  return left;
}

}  // namespace

util::Result<TrafficPlace> function_place(Work& work, const std::string& account, bool removing) {
  const engine::Node& node = work.node();
  const bool own_kind = node.key.group == resources::k_kubist_group;
  const std::string& kind = node.key.kind;
  if (own_kind && kind == "Root") {
    return home_place(work, account);
  }
  if (own_kind && kind == "Cluster") {
    return cluster_place(work, account);
  }
  if (own_kind && kind == "VirtualCluster") {
    return project_place(work, node.key.ns, node.key.name, removing);
  }
  if ((own_kind && (kind == "Project" || kind == "Execution")) || node.target.empty()) {
    return project_place(work, work.project_namespace(), node.target, removing);
  }
  return traffic_place(work);
}

util::Result<engine::Removal> remove_listed(
    Work& work, const Json& inventory, const util::Result<TrafficPlace>& place,
    const std::function<Users(const TrafficPlace& place)>& users, Orphans orphans) {
  auto removed = place ? remove_from(work, inventory, *place, users, orphans)
                       : util::Result<engine::Removal>(util::fail(place.error()));
  // A virtual cluster that is gone took what it had along, or was let go with it.
  const bool nowhere = !place && work.node().leaving && work.node().parent == engine::k_no_node;
  const bool lets_go = work.world().abandon && !work.stop().stop_requested();
  if (removed || (!lets_go && !nowhere)) {
    return removed;
  }
  return abandoned(removed.error(), left_of(inventory, place, work.stop()));
}

util::Result<engine::Removal> remove_function_objects(Work& work, bool with_node) {
  const Json& status = work.node().status();
  const Json& inventory = function_inventory(status);
  if (inventory.empty()) {
    return engine::Removal{};
  }
  World& world = work.world();
  auto place = function_place(
      work, account_of(world, work.node(), data::string_at(status, {"executor", "name"})),
      with_node);
  const bool nobody =
      place ? place->delete_client == nullptr : place.error().reason == k_account_not_yours;
  if (nobody && world.sites.accounts().own_rights()) {
    TrafficPlace own;
    own.by_account = true;
    own.client = own.delete_client = own.own_client = world.home;
    place = std::move(own);
  }
  return remove_listed(
      work, inventory, place, [](const TrafficPlace&) { return Users{}; },
      with_node ? Orphans::by_policy : Orphans::none);
}

}  // namespace kubist::executors
