#include "keep/item_world.hpp"

#include <kubist/executors/object_source.hpp>
#include <kubist/setup/install.hpp>

#include "keep/sites.hpp"

namespace kubist::executors {

using util::ErrorKind;

deployers::World home_items_world(World& world, const std::string& ns,
                                  const std::string& field_manager, const std::stop_token& stop) {
  deployers::World items;
  items.home = world.home;
  items.settings = world.deployers;
  items.stop = stop;
  items.place_of = [home = world.home](const std::string& item_ns, const std::string&) {
    return deployers::Place{home, item_ns, ""};
  };
  kube::Writer::Rules rules = world.locks.rules(ns, stop);
  rules.field_manager = field_manager;
  rules.dry_run = world.dry_run;
  items.writer = kube::Writer(std::move(rules));
  return items;
}

deployers::World items_world(Work& work) {
  World& world = work.world();
  deployers::World items;
  items.home = world.home;
  items.settings = world.deployers;
  items.jsonnet = world.jsonnet;
  items.parallelism = world.item_parallelism;
  items.stop = work.stop();
  items.progress = work.context().progress;
  items.place_of = [&work](const std::string& ns, const std::string& target) {
    return work.world().sites.for_items(work.context().graph, ns, target, work.stop());
  };
  items.writer = work.writer();
  items.lists = world.kept_lists;
  if (world.source != nullptr) {
    items.wrote = [&world](const data::Json& item) {
      const resources::ObjectView view(item);
      world.source->wrote(view.ref(), std::string(view.uid()),
                          std::string(view.resource_version()));
    };
  }
  if (world.keeps) {
    items.keeps = [&work](deployers::KeptObjects kept) {
      work.world().keeps(work.node().key, std::move(kept));
    };
  }
  return items;
}

deployers::Settings item_settings(const deployers::Settings& given, const engine::Graph& graph) {
  const auto found = graph.find({std::string(resources::k_kubist_group), "Root", "", "root"});
  const data::Json* root = found.empty() ? nullptr : graph[found[0]].object.get();
  deployers::Settings settings = given;
  settings.agent_image = deployers::agent_image(root);
  settings.script_image = deployers::script_image(root);
  return settings;
}

util::Result<bool> has_foreign_items(kube::Client& home, const std::stop_token& stop) {
  const auto crd = home.find(kube::well_known::custom_resource_definitions(), "",
                             "deployitems.landscaper.gardener.cloud", stop);
  if (!crd && crd.error().kind != ErrorKind::forbidden) {
    return util::fail(crd.error());
  }
  return crd && *crd && !setup::is_own_crd(**crd);
}

}  // namespace kubist::executors
