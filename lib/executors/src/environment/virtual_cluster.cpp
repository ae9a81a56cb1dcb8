#include <kubist/data/pointer.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "keep/kinds.hpp"
#include "keep/label_limits.hpp"
#include "keep/namespaces.hpp"
#include "keep/project_rights.hpp"
#include "keep/restart_workloads.hpp"
#include "world/istio_wish.hpp"
#include "world/survey.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using util::cat;
using util::ErrorKind;

namespace {

using istio::k_dataplane_mode_label;
using istio::k_injection_label;
using istio::k_revision_label;

struct Injection {
  std::string mode, revision;
};

/// What the spec says; else Sidecar, of the control plane that is meant, where its Cluster, Project
/// or Root wants Istio: on a cluster that nobody wants it on the labels would mean nothing.
Injection injection_of(Work& work) {
  const Json& spec = work.spec();
  Injection injection{std::string(data::string_at(spec, {"injection", "mode"})),
                      std::string(data::string_at(spec, {"injection", "revision"}))};
  if (!injection.mode.empty()) {
    return injection;
  }
  const engine::Graph& graph = work.context().graph;
  const engine::Node& cluster = graph[work.node().parent];
  const IstioWish wish = istio_wish(graph, cluster, cluster.spec());
  const bool named = !injection.revision.empty();
  injection.mode = named || wish.wanted() ? "Sidecar" : "Unmanaged";
  if (!named && wish.scope.revision != istio::k_default_revision) {
    injection.revision = wish.scope.revision;
  }
  return injection;
}

// https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/ (labels of namespaces)
void add_mesh_labels(const Injection& injection, NamespaceWish& wish) {
  const auto& [mode, revision] = injection;
  if (mode == "Unmanaged") {
    wish.kept_labels = {k_injection_label, k_revision_label, k_dataplane_mode_label};
    return;
  }
  if (mode == "Ambient") {
    wish.labels[k_dataplane_mode_label] = "ambient";
    wish.unwanted_labels = {k_injection_label};
  } else if (mode == "Sidecar" && revision.empty()) {
    wish.labels[k_injection_label] = "enabled";
    wish.unwanted_labels = {k_revision_label, k_dataplane_mode_label};
  } else if (mode == "Sidecar") {
    wish.unwanted_labels = {k_injection_label, k_dataplane_mode_label};
  } else {
    wish.unwanted_labels = {k_injection_label, k_revision_label, k_dataplane_mode_label};
  }
  if (mode != "None" && !revision.empty()) {
    wish.labels[k_revision_label] = revision;
  }
}

NamespaceWish wish_for(Work& work) {
  const engine::Node& node = work.node();
  const Json& spec = work.spec();
  NamespaceWish wish;
  wish.name = resources::virtual_cluster_namespace(*node.object);
  wish.labels = string_map(data::find_path(spec, {"labels"}));
  wish.annotations = string_map(data::find_path(spec, {"annotations"}));
  add_mesh_labels(injection_of(work), wish);
  wish.create = data::bool_at(spec, {"create"}, true);
  wish.adopt = data::bool_at(spec, {"adopt"});
  return wish;
}

/// What keeping its namespace takes.
std::vector<std::string> verbs_for(const Json& spec) {
  const bool adopt = data::bool_at(spec, {"adopt"});
  const std::string_view policy = data::string_at(spec, {"deletionPolicy"});
  std::vector<std::string> verbs{"get", "patch"};
  if (!adopt && data::bool_at(spec, {"create"}, true)) {
    verbs.emplace_back("create");
  }
  if (policy.empty() ? !adopt : policy == "Delete") {
    verbs.emplace_back("delete");
  }
  return verbs;
}

// Asked of the cluster before anything is made there or changed: in general, and where that is
// refused for the namespace by name. One that may not be kept is no other VirtualCluster's.
util::Result<> check_access(const Connection& connection, Work& work, const std::string& ns) {
  KUBIST_TRY(const auto refused,
             work.world().connections.refused_on_namespaces(connection, work.stop()));
  std::vector<std::string> missing;
  for (const std::string& verb : verbs_for(work.spec())) {
    if (!refused.contains(verb)) {
      continue;
    }
    KUBIST_TRY(const auto answer,
               connection.client->can_i(
                   {.verb = verb, .resource = "namespaces", .ns = ns, .name = ns}, work.stop()));
    if (!answer.allowed) {
      missing.push_back(cat(verb, " namespace ", ns));
    }
  }
  return missing.empty()
             ? util::Result<>{}
             : util::fail(ErrorKind::forbidden,
                          cat("the cluster's credentials may not: ", util::join(missing, ", ")),
                          "Grant them that, or give the Cluster other ones.", "Forbidden");
}

/// What the home cluster itself has of the namespace that a server told of, which says that it is
/// the home cluster: whoever may name a server may have it say so, and leave out what it likes.
util::Result<NamespaceFact> confirm_at_home(Work& work, const std::string& ns,
                                            const NamespaceFact& told) {
  const auto found = work.world().home->find(kube::well_known::namespaces(), "", ns, work.stop());
  if (!found) {
    return util::fail(
        util::with_context(found.error(), cat("see whether the home cluster has namespace ", ns,
                                              ", as the server of the Cluster says")));
  }
  const auto& live = *found;
  if (!live || resources::ObjectView(*live).uid() != resources::ObjectView(told.live).uid() ||
      resources::ObjectView(*live).annotation(resources::k_owner_annotation) != work.owner_mark()) {
    return util::fail(
        ErrorKind::invalid,
        cat("namespace ", ns, " is not the one that the home cluster has, though the ",
            "server of the Cluster says that it is the home cluster"),
        "Set spec.home: true of the Cluster, or correct its kubeconfig.", "NamespaceNotAllowed");
  }
  const bool adopted = resources::ObjectView(*live).annotation(k_adopted_annotation) == "true";
  return NamespaceFact{*live, told.adopted || adopted, told.made, told.inventory};
}

class VirtualClusterExecutor final : public ManagedExecutor {
 public:
  using ManagedExecutor::ManagedExecutor;

 protected:
  util::Result<Alignment> align_node(Work& work) override {
    KUBIST_TRY(const auto place, connect(work));
    NamespaceWish wish = wish_for(work);
    if (place.home) {
      wish.delete_adopted = names_exactly(own_project(work), wish.name);
      wish.check_adoption = [&] { return check_adoption(work, wish.name); };
      KUBIST_CHECK(check_home_namespace(work.context().graph, work.node().key.ns, wish.name));
      KUBIST_CHECK(check_home_labels(own_project(work), work.spec()));
    }
    if (!work.node().recorded_ready()) {
      KUBIST_CHECK(check_access(*place.connection, work, wish.name));
    }
    KUBIST_TRY(NamespaceFact fact, keep_namespace(work, {*place.client, place.cluster}, wish));
    const bool is_kept = !resources::ObjectView(fact.live).uid().empty();
    const bool is_told = place.home && place.client != world().home;
    if (is_told && (is_kept || !work.dry())) {
      KUBIST_TRY(fact, confirm_at_home(work, wish.name, fact));
    }
    Alignment alignment;
    alignment.status["namespace"] = wish.name;
    alignment.status["namespaceUID"] = resources::ObjectView(fact.live).uid();
    alignment.status["adopted"] = fact.adopted ? Json(true) : Json();
    alignment.status["inventory"] = fact.inventory;
    if (place.home &&
        (is_kept || !is_told || !work.dry())) {  // what is only told is confirmed first
      KUBIST_CHECK(keep_project_binding(work, wish.name, fact));
      if (!work.dry()) {
        world().sites.saw(work.node(), fact.live);
      }
    }
    if (work.dry() && !is_kept) {
      alignment.message =
          cat("what lives in namespace ", wish.name, " is unknown before it is made");
      return alignment;
    }
    Workloads workloads;  // of a namespace that was made just now: none
    if (!fact.made) {
      KUBIST_TRY(workloads,
                 world().survey.workloads(*place.client, work.node(), wish.name, work.stop()));
    }
    alignment.status["applications"] =
        workloads.applications.empty() ? Json() : workloads.applications;
    if (data::bool_at(work.spec(), {"injection", "restart"})) {
      KUBIST_CHECK(restart_workloads(work, {*place.client, place.cluster}, wish, workloads));
    }
    return alignment;
  }

  util::Result<engine::Removal> remove_node(Work& work) override {
    const std::string ns = resources::virtual_cluster_namespace(*work.node().object);
    if (data::find_path(work.node().status(), {"inventory"}) == nullptr &&
        data::find_path(work.node().status(), {"namespaceUID"}) == nullptr) {
      return engine::Removal{};  // nothing was ever made
    }
    const auto place = connect(work);
    if (!place && world().abandon) {
      return abandoned(place.error(), {cat("namespace ", ns, k_unchecked)});
    }
    if (!place) {
      return util::fail(place.error());
    }
    const bool delete_adopted = !place->home || names_exactly(own_project(work), ns);
    KUBIST_TRY(engine::Removal removal,
               remove_namespace(work, {*place->client, place->cluster}, ns, delete_adopted));
    if (place->home && !removal.left_behind.empty()) {
      KUBIST_CHECK(drop_project_rights(work, ns));
    }
    return removal;
  }

 private:
  const engine::Node* own_project(Work& work) {
    return work.context().graph.project_of(work.node().key.ns);
  }

  struct Place {
    std::shared_ptr<const Connection> connection;
    std::shared_ptr<kube::Client> client;
    std::string cluster;  ///< empty: home
    bool home = false;
  };

  util::Result<Place> connect(Work& work) {
    const engine::NodeId parent = work.node().parent;
    if (parent == engine::k_no_node) {
      return util::fail(ErrorKind::not_found, "the Cluster of spec.clusterRef does not exist");
    }
    const engine::Node& cluster = work.context().graph[parent];
    KUBIST_TRY(
        const auto connection,
        world().connections.connect(*cluster.object, allowed_servers(work.context().graph, cluster),
                                    false, work.stop()));
    Place place{connection, connection->client};
    place.home = connection->uid == world().home_uid;
    place.cluster = place.home ? "" : cluster.key.name;
    return place;
  }
};

}  // namespace

std::shared_ptr<ManagedExecutor> make_virtual_cluster_executor(World& world) {
  return std::make_shared<VirtualClusterExecutor>(world);
}

}  // namespace kubist::executors
