#include "keep/item_world.hpp"

#include <kubist/apply/install.hpp>

#include "keep/sites.hpp"

namespace kubist::executors {

using util::ErrorKind;

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
  items.permit = world.locks.permit(ns);
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
    return work.world().sites.for_items(work.context().graph, ns, target, work.stop());
  };
  items.may_write = [&work] { return work.may_write(); };
  items.permit = work.permit();
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
