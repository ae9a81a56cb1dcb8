#include "keep/item_world.hpp"

#include <optional>

#include <kubist/apply/install.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/namespaces.hpp"
#include "world/addresses.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

std::vector<std::string> strings_at(const Json& project, std::string_view field) {
  const Json* list = data::find_path(project, {"spec", "items", field});
  return list == nullptr ? std::vector<std::string>{} : list->get<std::vector<std::string>>();
}

deployers::PodGrants pod_grants(const Json& project) {
  return {.accounts = strings_at(project, "serviceAccounts"),
          .capabilities = strings_at(project, "capabilities"),
          .unconfined = data::bool_at(project, {"spec", "items", "unconfined"}),
          .privileged = data::bool_at(project, {"spec", "items", "privileged"})};
}

util::Error namespace_not_allowed(std::string message, std::string hint) {
  return util::make_error(ErrorKind::invalid, std::move(message), std::move(hint),
                          "NamespaceNotAllowed");
}

/// The owner mark that a live namespace of the home cluster has; nothing: there is no such one.
util::Result<std::optional<std::string>> mark_of(kube::Client& home, const std::string& ns,
                                                 const std::stop_token& stop) {
  KUBIST_TRY(const auto live, home.find(kube::well_known::namespaces(), "", ns, stop));
  return live ? std::optional(
                    std::string(resources::ObjectView(*live).annotation(k_owner_annotation)))
              : std::nullopt;
}

/// A VirtualCluster that was refused its namespace is no way into it. Where there is none, there is
/// nothing to get at.
util::Result<> check_target(kube::Client& home, const std::string& home_uid,
                            const engine::Node& virtual_cluster, const std::string& ns,
                            const std::stop_token& stop) {
  KUBIST_TRY(const auto mark, mark_of(home, ns, stop));
  return !mark || *mark == owner_mark(home_uid, virtual_cluster.key)
             ? util::Result<>{}
             : util::fail(namespace_not_allowed(
                   cat("namespace ", ns, " of the home cluster is not that of ",
                       engine::to_string(virtual_cluster)),
                   "The status of the VirtualCluster says why."));
}

/// A namespace besides the target's, which an object of an item names.
util::Result<> check_namespace(kube::Client& home, const std::string& home_uid,
                               const engine::Graph& graph, const std::string& project_ns,
                               const std::string& ns, const std::stop_token& stop) {
  if (auto allowed = check_home_namespace(graph, project_ns, ns); !allowed) {
    util::Error error = allowed.error();
    if (error.hint.starts_with("Choose")) {
      error.hint = "Choose another metadata.namespace.";
    }
    return util::fail(std::move(error));
  }
  KUBIST_TRY(const auto mark, mark_of(home, ns, stop));
  const auto parts = util::split(mark.value_or(""), '/');  // home, kind, namespace, name
  const bool of_project = parts.size() == 4 && parts[0] == home_uid && parts[2] == project_ns;
  if (!mark || mark->empty() || of_project) {
    return {};
  }
  return util::fail(
      namespace_not_allowed(cat("namespace ", ns, " of the home cluster belongs to ", *mark),
                            "Choose another metadata.namespace."));
}

}  // namespace

util::Result<deployers::Place> place_of(const std::shared_ptr<kube::Client>& home,
                                        const std::string& home_uid, Connections& connections,
                                        const engine::Graph& graph, const std::string& ns,
                                        const std::string& target, const std::stop_token& stop) {
  deployers::Place place;
  if (const engine::Node* project = project_of(graph, ns); project != nullptr) {
    place.grants = pod_grants(*project->object);
  }
  if (target.empty()) {
    place.client = home;
    place.ns = ns;
    return place;
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
  place.client = connection->client;
  place.ns = resources::virtual_cluster_namespace(*virtual_cluster.object);
  place.cluster = connection->uid == home_uid ? "" : cluster.key.name;
  if (place.cluster.empty()) {
    KUBIST_CHECK(check_home_namespace(graph, ns, place.ns));
  }
  return place;
}

util::Result<deployers::Place> item_place_of(const std::shared_ptr<kube::Client>& home,
                                             const std::string& home_uid, Connections& connections,
                                             const engine::Graph& graph, const std::string& ns,
                                             const std::string& target,
                                             const std::stop_token& stop) {
  KUBIST_TRY(deployers::Place place,
             place_of(home, home_uid, connections, graph, ns, target, stop));
  const engine::Node* project = project_of(graph, ns);
  if (project != nullptr) {
    place.check_chart_address = [&graph, project](const std::string& url) {
      return check_chart_address(graph, *project, url);
    };
  }
  if (!place.cluster.empty() || project == nullptr) {
    return place;
  }
  if (!target.empty()) {
    const auto found =
        graph.find({std::string(resources::k_kubist_group), "VirtualCluster", ns, target});
    KUBIST_CHECK(check_target(*home, home_uid, graph[found[0]], place.ns, stop));
  }
  place.limits = std::make_shared<deployers::ItemLimits>(deployers::ItemLimits{
      project->key.name, strings_at(*project->object, "kinds"),
      [home, home_uid, &graph, ns, own = place.ns, stop](const std::string& other) {
        return other == own || other == ns
                   ? util::Result<>{}
                   : check_namespace(*home, home_uid, graph, ns, other, stop);
      }});
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
    return item_place_of(work.world().home, work.world().home_uid, work.world().connections,
                         work.context().graph, ns, target, work.stop());
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
