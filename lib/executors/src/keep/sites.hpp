#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include <kubist/deployers/world.hpp>
#include <kubist/engine/graph.hpp>
#include <kubist/executors/connections.hpp>
#include <kubist/metrics/gateway.hpp>

#include "world/project_accounts.hpp"

namespace kubist::executors {

/// Where the things of a project are, and as whom kubist goes there. Outlives a run; any thread.
class Sites {
 public:
  Sites(std::shared_ptr<kube::Client> home, std::string home_uid, Connections& connections,
        ProjectAccounts& accounts)
      : m_home(std::move(home)),
        m_home_uid(std::move(home_uid)),
        m_connections(connections),
        m_accounts(accounts),
        m_gateways(metrics::make_gateway_provider(m_home)) {}

  /// Where a target's pods run: its VirtualCluster's namespace on that cluster, or (no target) the
  /// project's own. On the home cluster as the project's account, where kubist may impersonate it;
  /// pods of the project's own namespace are kubist's to make. Not_found: no such VirtualCluster in
  /// `ns`. Invalid, reason NamespaceNotAllowed: its namespace of the home cluster is none that its
  /// Project may use.
  util::Result<deployers::Place> of(const engine::Graph& graph, const std::string& ns,
                                    const std::string& target, const std::stop_token& stop) {
    return find(For::use, graph, ns, target, stop);
  }

  /// The same for the work of items: with what the Project lets them do (Place::limits and
  /// Place::check_chart_address, valid as long as `graph`), and asking whether the namespace of the
  /// home cluster is in fact the VirtualCluster's.
  util::Result<deployers::Place> for_items(const engine::Graph& graph, const std::string& ns,
                                           const std::string& target, const std::stop_token& stop) {
    return find(For::items, graph, ns, target, stop);
  }

  /// As of(), for taking away what is there: in a namespace that is going or gone the project's
  /// binding may be gone first, so that its account would meet 403 for ever. One that goes, and is
  /// not the VirtualCluster's, stays the account's matter: kubist itself does nothing there.
  util::Result<deployers::Place> for_removal(const engine::Graph& graph, const std::string& ns,
                                             const std::string& target,
                                             const std::stop_token& stop) {
    return find(For::removal, graph, ns, target, stop);
  }

  /// Kubist's own way to the cluster of a place: for what is not the project's, as the pods of
  /// gateways and the marks of namespaces.
  std::shared_ptr<kube::Client> own(const deployers::Place& place) const {
    return place.cluster.empty() ? m_home : place.client;
  }

  /// Before a namespace of the home cluster is used for a Project. Where the caller's own rights
  /// are used, they reach it if kubist made it for the project; else requests there are refused
  /// (ProjectAccounts::client_for). Errors: as of the question.
  util::Result<> admit(const engine::Node& project, const std::string& ns,
                       const std::stop_token& stop);

  /// The namespace of the home cluster that a VirtualCluster keeps, as it was just read or written.
  /// The work of items does not ask about it again for a moment.
  void saw(const engine::Node& virtual_cluster, const data::Json& live);

  /// Forgets what is of no Project or VirtualCluster of this tree.
  void keep_only(const engine::Graph& tree);

  /// The counters of the home cluster's gateways, as kubist itself may read them: one for all runs,
  /// so that many of them do not read the same pods at once.
  const std::shared_ptr<metrics::Provider>& gateways() const { return m_gateways; }

  ProjectAccounts& accounts() { return m_accounts; }

  /// That client, where the namespace (`live`) stands. Nothing can be made in one that is going or
  /// gone: kubist itself tidies there, and nowhere else.
  std::shared_ptr<kube::Client> settled(std::shared_ptr<kube::Client> client, const std::string& ns,
                                        const std::optional<data::Json>& live) const;

 private:
  using Steady = std::chrono::steady_clock::time_point;
  enum class For { use, items, removal };
  /// When a namespace stood. The mutex is held while it is asked about: who asks then waits for
  /// that answer.
  struct Standing {
    std::mutex mutex;
    std::optional<Steady> at;
  };
  util::Result<deployers::Place> find(For what, const engine::Graph& graph, const std::string& ns,
                                      const std::string& target, const std::stop_token& stop);
  util::Result<> find_target(deployers::Place& place, const engine::Graph& graph,
                             const engine::Node& virtual_cluster, const std::stop_token& stop);
  std::shared_ptr<const deployers::ItemLimits> limits_of(const engine::Graph& graph,
                                                         const engine::Node& project,
                                                         const std::string& own,
                                                         const std::stop_token& stop);
  util::Result<> check_namespace(const engine::Graph& graph, const std::string& project_ns,
                                 const std::string& ns, const std::stop_token& stop);
  util::Result<> check_target(const engine::Node& virtual_cluster,
                              const std::optional<data::Json>& live, const std::string& ns) const;
  /// Asks whether the place's namespace of the home cluster stands, and is that of the
  /// VirtualCluster (null: the project's own). One that does is not asked about again for a moment.
  util::Result<> look_at_namespace(deployers::Place& place, const engine::Node* virtual_cluster,
                                   For what, const std::stop_token& stop);
  std::shared_ptr<Standing> standing_of(const engine::Node* virtual_cluster, const std::string& ns);
  std::shared_ptr<kube::Client> m_home;
  std::string m_home_uid;
  Connections& m_connections;
  ProjectAccounts& m_accounts;
  const std::shared_ptr<metrics::Provider> m_gateways;
  std::mutex m_mutex;  ///< guards the map, not what is in it
  /// By whose namespace it is (none: the project's own), and its name.
  std::map<std::pair<engine::Key, std::string>, std::shared_ptr<Standing>> m_standing;
};

}  // namespace kubist::executors
