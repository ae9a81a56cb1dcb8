#include "keep/sites.hpp"

#include <optional>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/memory.hpp>
#include <kubist/util/text.hpp>

#include "keep/namespaces.hpp"
#include "world/addresses.hpp"
#include "world/allow_lists.hpp"

namespace kubist::executors {

using data::Json;
using resources::ObjectView;
using util::cat;
using util::ErrorKind;

namespace {

deployers::PodGrants pod_grants(const Json& project) {
  return {.accounts = data::strings_at(project, {"spec", "items", "serviceAccounts"}),
          .capabilities = data::strings_at(project, {"spec", "items", "capabilities"}),
          .unconfined = data::bool_at(project, {"spec", "items", "unconfined"}),
          .privileged = data::bool_at(project, {"spec", "items", "privileged"})};
}

util::Error namespace_not_allowed(std::string message, std::string hint) {
  return util::make_error(ErrorKind::invalid, std::move(message), std::move(hint),
                          "NamespaceNotAllowed");
}

/// Was that live namespace made or adopted for something in the project's namespace?
bool is_of_project(const Json& live, const std::string& home_uid, const std::string& project_ns) {
  const auto parts = util::split(ObjectView(live).annotation(resources::k_owner_annotation), '/');
  return parts.size() == 4 && parts[0] == home_uid && parts[2] == project_ns;
}

const engine::Node* virtual_cluster_of(const engine::Graph& graph, const std::string& ns,
                                       const std::string& name) {
  const auto found =
      graph.find({std::string(resources::k_kubist_group), "VirtualCluster", ns, name});
  return found.empty() || graph[found[0]].parent == engine::k_no_node ? nullptr : &graph[found[0]];
}

}  // namespace

/// A VirtualCluster that was refused its namespace is no way into it. Where there is none, there is
/// nothing to get at.
util::Result<> Sites::check_target(const engine::Node& virtual_cluster,
                                   const std::optional<Json>& live, const std::string& ns) const {
  const bool own = live && ObjectView(*live).annotation(resources::k_owner_annotation) ==
                               owner_mark(m_home_uid, virtual_cluster.key);
  return !live || own ? util::Result<>{}
                      : util::fail(namespace_not_allowed(
                            cat("namespace ", ns, " of the home cluster is not that of ",
                                engine::to_string(virtual_cluster)),
                            "The status of the VirtualCluster says why."));
}

std::shared_ptr<kube::Client> Sites::settled(std::shared_ptr<kube::Client> client,
                                             const std::string& ns,
                                             const std::optional<Json>& live) const {
  if (live && ObjectView(*live).deletion_timestamp().empty()) {
    return client;
  }
  return client->routed([home = m_home, client, ns](const kube::RequestInfo& info) {
    return util::Result<kube::Client*>(info.ns == ns ? home.get() : client.get());
  });
}

util::Result<> Sites::look_at_namespace(deployers::Place& place,
                                        const engine::Node* virtual_cluster, For what,
                                        const std::stop_token& stop) {
  // Where the namespace goes meanwhile the API server refuses what an item asks for, and the next
  // look knows.
  constexpr std::chrono::seconds k_age{10};
  std::shared_ptr<Standing> standing;
  std::unique_lock<std::mutex> asking;
  if (what == For::items) {
    standing = standing_of(virtual_cluster, place.ns);
    asking = std::unique_lock(standing->mutex);
    if (standing->at && std::chrono::steady_clock::now() - *standing->at <= k_age) {
      return {};
    }
  }
  KUBIST_TRY(const auto live, m_home->find(kube::well_known::namespaces(), "", place.ns, stop));
  const auto own = virtual_cluster != nullptr ? check_target(*virtual_cluster, live, place.ns)
                                              : util::Result<>{};
  if (what == For::items) {
    KUBIST_CHECK(own);
  }
  auto& client = place.objects_client ? place.objects_client : place.client;
  if (live && ObjectView(*live).deletion_timestamp().empty()) {
    if (standing) {
      standing->at = std::chrono::steady_clock::now();
    }
  } else if (own && (what == For::removal || m_accounts.is_dry())) {
    // In another's the account tidies as far as it may, and once it is gone nothing is there.
    client = settled(std::move(client), place.ns, live);
  } else if (what == For::items) {
    // A job may wait for years, until somebody else has a namespace of that name.
    place.tidy_client = settled(client, place.ns, live);
  }
  return {};
}

void Sites::saw(const engine::Node& virtual_cluster, const Json& live) {
  const std::string ns(ObjectView(live).name());
  if (check_target(virtual_cluster, live, ns) && ObjectView(live).deletion_timestamp().empty()) {
    const auto standing = standing_of(&virtual_cluster, ns);
    const std::lock_guard lock(standing->mutex);
    standing->at = std::chrono::steady_clock::now();
  }
}

std::shared_ptr<Sites::Standing> Sites::standing_of(const engine::Node* virtual_cluster,
                                                    const std::string& ns) {
  const std::pair whose(virtual_cluster != nullptr ? virtual_cluster->key : engine::Key(), ns);
  const std::lock_guard lock(m_mutex);
  const auto found = m_standing.find(whose);
  if (found != m_standing.end()) {
    return found->second;
  }
  const util::MemoryScope memory(util::Stay::lasting);
  return m_standing.emplace(whose, std::make_shared<Standing>()).first->second;
}

void Sites::keep_only(const engine::Graph& tree) {
  const std::lock_guard lock(m_mutex);
  std::erase_if(m_standing, [&](const auto& each) {
    const auto& [whose, ns] = each.first;
    return whose.name.empty() ? tree.project_of(ns) == nullptr : tree.find(whose).empty();
  });
}

util::Result<> Sites::admit(const engine::Node& project, const std::string& ns,
                            const std::stop_token& stop) {
  KUBIST_TRY(const bool stops, m_accounts.stops_before(project, ns, stop));
  if (!stops) {
    return {};
  }
  KUBIST_TRY(const auto live, m_home->find(kube::well_known::namespaces(), "", ns, stop));
  if (live && is_of_project(*live, m_home_uid, resources::project_namespace(*project.object)) &&
      ObjectView(*live).annotation(k_adopted_annotation) != "true") {
    m_accounts.admit(project, ns);
  }
  return {};
}

/// A namespace besides the target's, which an object of an item names.
util::Result<> Sites::check_namespace(const engine::Graph& graph, const std::string& project_ns,
                                      const std::string& ns, const std::stop_token& stop) {
  constexpr const char* k_hint = "Choose another metadata.namespace.";
  if (auto allowed = check_home_namespace(graph, project_ns, ns); !allowed) {
    util::Error error = allowed.error();
    if (error.hint.starts_with("Choose")) {
      error.hint = k_hint;
    }
    return util::fail(std::move(error));
  }
  KUBIST_TRY(const auto live, m_home->find(kube::well_known::namespaces(), "", ns, stop));
  const std::string mark(live ? ObjectView(*live).annotation(resources::k_owner_annotation) : "");
  if (!mark.empty() && !is_of_project(*live, m_home_uid, project_ns)) {
    return util::fail(namespace_not_allowed(
        cat("namespace ", ns, " of the home cluster belongs to ", mark), k_hint));
  }
  const engine::Node& project = *graph.project_of(project_ns);
  KUBIST_CHECK(m_accounts.await_rights(project, ns, stop));
  return admit(project, ns, stop);
}

/// The cluster and the namespace of a VirtualCluster.
util::Result<> Sites::find_target(deployers::Place& place, const engine::Graph& graph,
                                  const engine::Node& virtual_cluster,
                                  const std::stop_token& stop) {
  const engine::Node& cluster = graph[virtual_cluster.parent];
  KUBIST_TRY(const auto connection,
             m_connections.connect(*cluster.object, allowed_servers(graph, cluster), false, stop));
  place.client = connection->client;
  place.ns = resources::virtual_cluster_namespace(*virtual_cluster.object);
  place.cluster = connection->uid == m_home_uid ? "" : cluster.key.name;
  return place.cluster.empty() ? check_home_namespace(graph, virtual_cluster.key.ns, place.ns)
                               : util::Result<>{};
}

std::shared_ptr<const deployers::ItemLimits> Sites::limits_of(const engine::Graph& graph,
                                                              const engine::Node& project,
                                                              const std::string& own,
                                                              const std::stop_token& stop) {
  const std::string ns = resources::project_namespace(*project.object);
  return std::make_shared<deployers::ItemLimits>(deployers::ItemLimits{
      project.key.name, data::strings_at(*project.object, {"spec", "items", "kinds"}),
      [this, &graph, ns, own, stop](const std::string& other) {
        return other == own || other == ns ? util::Result<>{}
                                           : check_namespace(graph, ns, other, stop);
      },
      allowed_by(graph, project, "hosts")});
}

util::Result<deployers::Place> Sites::find(For what, const engine::Graph& graph,
                                           const std::string& ns, const std::string& target,
                                           const std::stop_token& stop) {
  deployers::Place place{m_home, ns, ""};
  const engine::Node* virtual_cluster = nullptr;
  if (!target.empty()) {
    virtual_cluster = virtual_cluster_of(graph, ns, target);
    if (virtual_cluster == nullptr) {
      return util::fail(ErrorKind::not_found,
                        cat("VirtualCluster ", target, " does not exist in ", ns));
    }
    KUBIST_CHECK(find_target(place, graph, *virtual_cluster, stop));
  }
  const engine::Node* project = graph.project_of(ns);
  if (project == nullptr) {
    return place;
  }
  place.grants = pod_grants(*project->object);
  if (what == For::items) {
    place.check_chart_address = [&graph, project](const std::string& url) {
      return check_chart_address(graph, project, url);
    };
  }
  if (!place.cluster.empty()) {
    return place;
  }
  KUBIST_TRY(place.delete_client, m_accounts.delete_client_for(*project, stop));
  KUBIST_TRY(auto as_project, m_accounts.client_for(*project, stop));
  (virtual_cluster == nullptr ? place.objects_client : place.client) = std::move(as_project);
  if (what != For::removal) {
    KUBIST_CHECK(m_accounts.await_rights(*project, place.ns, stop));
  }
  if (virtual_cluster != nullptr) {
    KUBIST_CHECK(admit(*project, place.ns, stop));
  }
  // One that is not reconciled yet, as before a dry run, may have no namespace, where the account
  // has no rights to see that nothing is there.
  const bool asks = virtual_cluster != nullptr
                        ? what != For::use || data::find_path(virtual_cluster->status(),
                                                              {"namespaceUID"}) == nullptr
                        : what != For::use && place.objects() != m_home;
  if (asks) {
    KUBIST_CHECK(look_at_namespace(place, virtual_cluster, what, stop));
  }
  if (what == For::items) {
    place.limits = limits_of(graph, *project, place.ns, stop);
  }
  return place;
}

}  // namespace kubist::executors
