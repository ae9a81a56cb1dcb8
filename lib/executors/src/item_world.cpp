#include "item_world.hpp"

#include <kubist/apply/install.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

/// What the Project of this namespace grants to its items; of many targets it is the same.
std::vector<std::string> item_accounts(const engine::Graph& graph, const std::string& ns) {
  for (const engine::NodeId root : graph.preorder()) {
    const engine::Node& node = graph[root];
    if (node.key.kind == "Project" && resources::project_namespace(*node.object) == ns) {
      const Json* accounts =
          data::find_path(*node.object, {"spec", "items", "serviceAccounts"});
      return accounts == nullptr ? std::vector<std::string>{}
                                 : accounts->get<std::vector<std::string>>();
    }
  }
  return {};
}

}  // namespace

util::Result<deployers::Place> place_of(const std::shared_ptr<kube::Client>& home,
                                        const std::string& home_uid, Connections& connections,
                                        const engine::Graph& graph, const std::string& ns,
                                        const std::string& target, const std::stop_token& stop) {
  if (target.empty()) {
    return deployers::Place{home, ns, "", item_accounts(graph, ns)};
  }
  const auto found =
      graph.find({std::string(resources::k_kubist_group), "VirtualCluster", ns, target});
  if (found.empty() || graph[found[0]].parent == engine::k_no_node) {
    return util::fail(ErrorKind::not_found,
                      cat("VirtualCluster ", target, " does not exist in ", ns));
  }
  const engine::Node& virtual_cluster = graph[found[0]];
  const engine::Node& cluster = graph[virtual_cluster.parent];
  KUBIST_TRY(const auto connection, connections.connect(*cluster.object, false, stop));
  deployers::Place place;
  place.client = connection->client;
  place.ns = resources::virtual_cluster_namespace(*virtual_cluster.object);
  place.cluster = connection->uid == home_uid ? "" : cluster.key.name;
  place.item_accounts = item_accounts(graph, ns);
  return place;
}

deployers::World home_items_world(World& world, const std::string& ns,
                                  const std::string& field_manager, const std::stop_token& stop) {
  deployers::World items;
  items.home = world.home;
  items.settings = world.deployers;
  items.field_manager = field_manager;
  items.stop = stop;
  items.place_of = [home = world.home](const std::string& item_ns, const std::string&) {
    return deployers::Place{home, item_ns, ""};
  };
  items.may_write = [&world, ns, &stop] { return world.locks.before_write(ns, stop); };
  return items;
}

deployers::World items_world(Work& work) {
  World& world = work.world();
  deployers::World items;
  items.home = world.home;
  items.settings = world.deployers;
  items.jsonnet = world.jsonnet;
  items.parallelism = world.item_parallelism;
  items.field_manager = work.field_manager();
  items.stop = work.stop();
  items.progress = work.context().progress;
  items.place_of = [&work](const std::string& ns, const std::string& target) {
    return place_of(work.world().home, work.world().home_uid, work.world().connections,
                    work.context().graph, ns, target, work.stop());
  };
  items.may_write = [&work] { return work.may_write(); };
  items.on_write = [&work](const deployers::Write& write) {
    work.writes().push_back({write.verb, write.object, write.cluster, ""});
  };
  return items;
}

util::Result<bool> has_foreign_items(kube::Client& home, const std::stop_token& stop) {
  const auto crd = home.find(kube::well_known::custom_resource_definitions(), "",
                             "deployitems.landscaper.gardener.cloud", stop);
  if (!crd && crd.error().kind != ErrorKind::forbidden) {
    return util::fail(crd.error());
  }
  return crd && *crd && !apply::is_own_crd(**crd);
}

}  // namespace kubist::executors
