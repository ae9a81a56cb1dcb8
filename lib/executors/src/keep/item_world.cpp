#include "keep/item_world.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/executors/object_source.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "world/addresses.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

/// A Secret as the API server keeps it: what its stringData says is in its data.
Json with_data(Json object) {
  const Json text = data::object_at(object, {"stringData"});
  Json all = data::object_at(object, {"data"});
  for (const auto& [key, value] : text.items()) {
    all[key] = util::base64_encode(data::string_at(value, {}));
  }
  object["data"] = std::move(all);
  return object;
}

/// Of the input of a dry run.
deployers::PlannedObject planned_objects(const World& world) {
  if (world.planned == nullptr) {
    return {};
  }
  return [all = world.planned](std::string_view kind, std::string_view ns,
                               std::string_view name) -> std::optional<Json> {
    const auto found = std::find_if(all->begin(), all->end(), [&](const Json& object) {
      const resources::ObjectView view(object);
      return view.kind() == kind && view.name() == name && view.ns() == ns;
    });
    return found == all->end() ? std::nullopt
                               : std::optional(kind == "Secret" ? with_data(*found) : *found);
  };
}

std::function<std::string(const std::string&)> shown_in(World& world, const std::stop_token& stop) {
  return [&accounts = world.sites.accounts(), stop](const std::string& text) {
    return accounts.shown(text, stop);
  };
}

}  // namespace

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
  items.shown = shown_in(world, stop);
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
  items.planned = planned_objects(world);
  items.progress = work.context().progress;
  items.place_of = [&work](const std::string& ns, const std::string& target) {
    return work.world().sites.for_items(work.context().graph, ns, target, work.stop());
  };
  items.writer = work.writer();
  items.shown = shown_in(world, work.stop());
  items.lists = world.kept_lists;
  if (world.source != nullptr) {
    items.wrote = [&world](const data::Json& item) {
      const resources::ObjectView view(item);
      world.source->wrote(view.ref(), std::string(view.uid()),
                          std::string(view.resource_version()));
    };
  }
  if (world.changes) {
    items.changes = [&work](const deployers::Change& change) {
      work.world().changes(work.node(), change);
    };
  }
  if (world.keeps) {
    items.keeps = [&work](deployers::KeptObjects kept) {
      work.world().keeps(work.node().key, std::move(kept));
    };
  }
  return items;
}

util::Result<> check_account(const engine::Graph& graph, const Json& deploy_item) {
  const resources::ObjectView view(deploy_item);
  const engine::Node* project = graph.project_of(std::string(view.ns()));
  if (project == nullptr || deployers::service_account_of(deploy_item).empty()) {
    return {};
  }
  return util::fail(
      util::make_error(ErrorKind::invalid,
                       cat("DeployItem ", view.ns(), '/', view.name(),
                           ": spec.serviceAccountName: what items of Project ", project->key.name,
                           " ask for is asked as the project's account"),
                       "Take the field away, or set spec.serviceAccountName of the Project.",
                       "InvalidConfiguration"));
}

namespace {

util::Result<std::string> account_outside(const Json& deploy_item) {
  const resources::ObjectView view(deploy_item);
  std::string name = deployers::service_account_of(deploy_item);
  if (name.empty()) {
    name = "default";
  }
  const std::string wrong = resources::check_object_name("", "ServiceAccount", name);
  return wrong.empty()
             ? util::Result<std::string>(name)
             : util::fail(util::make_error(ErrorKind::invalid,
                                           cat("DeployItem ", view.ns(), '/', view.name(),
                                               ": spec.serviceAccountName \"", name, "\" ", wrong),
                                           "", "InvalidConfiguration"));
}

}  // namespace

util::Result<> act_outside(deployers::World& items, Sites& sites, const engine::Graph& graph,
                           const Json& deploy_item, ProjectAccounts::Fallback fallback,
                           const std::stop_token& stop) {
  const resources::ObjectView view(deploy_item);
  const std::string ns(view.ns());
  if (graph.project_of(ns) != nullptr) {
    return {};
  }
  KUBIST_TRY(const std::string name, account_outside(deploy_item));
  KUBIST_TRY(auto outside, sites.accounts().outside(ns, name, fallback, stop));
  if (!view.deletion_timestamp().empty()) {
    KUBIST_TRY(const auto live, items.home->find(kube::well_known::namespaces(), "", ns, stop));
    outside.client = sites.settled(std::move(outside.client), ns, live);
    outside.home = sites.settled(std::move(outside.home), ns, live);
  }
  items.home = outside.home;
  items.place_of = [&graph, client = outside.client](
                       const std::string& item_ns,
                       const std::string& target) -> util::Result<deployers::Place> {
    if (!target.empty()) {
      return util::fail(ErrorKind::not_found, cat("no Project owns namespace ", item_ns,
                                                  ", so it has no VirtualCluster ", target));
    }
    deployers::Place place{client, item_ns, ""};
    place.check_chart_address = [&graph](const std::string& url) {
      return check_chart_address(graph, nullptr, url);
    };
    return place;
  };
  return {};
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

deployers::KeptLists::Expected expected_items(const engine::Graph& graph,
                                              const std::vector<engine::NodeId>& selected) {
  deployers::KeptLists::Expected expected;
  for (const engine::NodeId top : selected) {
    for (const engine::NodeId id : graph.subtree(top)) {
      const engine::Node& node = graph[id];
      if (node.key.kind != "DeployItem") {
        continue;
      }
      engine::NodeId place = node.parent;
      while (place != engine::k_no_node && graph[place].key.kind != "VirtualCluster") {
        place = graph[place].parent;
      }
      ++expected[place == engine::k_no_node
                     ? node.key.ns
                     : resources::virtual_cluster_namespace(*graph[place].object)];
    }
  }
  return expected;
}

}  // namespace kubist::executors
