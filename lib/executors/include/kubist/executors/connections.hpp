#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/engine/graph.hpp>
#include <kubist/istio/evidence.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

class ClusterServers;
struct Endpoint;  ///< a client and what its API server was asked

/// A cluster that was reached, and which one it is.
struct Connection {
  std::shared_ptr<kube::Client> client;
  kube::ServerVersion version;
  std::string uid;  ///< of its namespace kube-system
  std::shared_ptr<Endpoint> endpoint;
};

/// Clusters by their namespaces and names.
using ClusterNames = std::set<std::pair<std::string, std::string>>;

/// Which servers the kubeconfigs of a project's Clusters may name: spec.allow.clusters of its
/// Project and of the Root. Nothing where neither says so: any server but those at a link-local
/// address, at loopback, and in the network of the home cluster's Services.
struct AllowedServers {
  std::optional<std::vector<std::string>> patterns;
};
/// For a node of the tree.
AllowedServers allowed_servers(const engine::Graph& graph, const engine::Node& node);
/// For a project namespace, asking the home cluster; who may not read Projects gets nothing.
util::Result<AllowedServers> allowed_servers(kube::Client& home, const std::string& ns,
                                             const std::stop_token& stop);

/// The clients of all Clusters, made when first needed and kept while their kubeconfig stays the
/// same. Cluster objects that lead somewhere by the same credentials (`home: true`, or kubeconfigs
/// equal to the byte, in whatever project) share one client, and with it what its API server was
/// asked in a run: its version, its identity, and what the caller may do there are asked once for
/// all of them. Only failures are asked again within a run. Any thread; a cluster is connected to
/// once however many ask.
class Connections {
 public:
  /// `options` for the clients of other clusters; `home` stands for `home: true`, `home_uid` for
  /// the uid of its kube-system (empty: asked when needed).
  Connections(std::shared_ptr<kube::Client> home, std::string home_uid,
              kube::ClientOptions options);
  ~Connections();

  /// From here on answers of earlier runs are not good enough where `refresh` is wanted.
  void begin_run() { ++m_run; }
  /// Connects to the cluster that the object describes and checks that it is the one of
  /// status.kubeSystemUID, where that is set. Invalid: KubeconfigNotAllowed,
  /// ClusterIdentityChanged; not_found: SecretNotFound; forbidden: AddressNotAllowed; forbidden,
  /// unavailable: as the cluster answers. No error has anything of a Secret that is no kubeconfig.
  /// `refresh`: read the Secret again and look at the cluster as it is in this run (by the
  /// cluster's executor); else a connection of an earlier run will do.
  util::Result<std::shared_ptr<const Connection>> connect(const data::Json& cluster,
                                                          const AllowedServers& allowed,
                                                          bool refresh,
                                                          const std::stop_token& stop);
  /// A client by credentials that no Secret has yet; it goes where connect() would for these
  /// servers. `called`: whose they are, for messages. Errors: those of connect() for the server.
  util::Result<std::shared_ptr<kube::Client>> client_by(kube::ClusterAccess access,
                                                        const AllowedServers& allowed,
                                                        const std::string& called,
                                                        const std::stop_token& stop);
  /// Those of the verbs get, create, patch and delete that the credentials of a connection do not
  /// have on all namespaces (four SelfSubjectAccessReviews a run).
  util::Result<std::set<std::string>> refused_on_namespaces(const Connection& connection,
                                                            const std::stop_token& stop);

  /// What its Istio looks like. Asked once for all Clusters with these credentials, and good for
  /// ten seconds, so that a loop that runs at every change does not ask each time. cancelled: stop.
  util::Result<std::shared_ptr<const istio::Evidence>> istio(const Connection& connection,
                                                             const std::stop_token& stop);

  /// Somebody changed it: the next one asks again. Null: there is none.
  static void forget_istio(const std::shared_ptr<Endpoint>& endpoint);
  /// Held by who installs it there: Clusters with these credentials come one after the other.
  std::unique_lock<std::mutex> lock_istio(const Connection& connection);

  /// What a URL has, which must be at that address itself. Errors: as of http::fetch.
  util::Result<std::string> fetch(const std::string& url, std::size_t max_bytes,
                                  const std::stop_token& stop) const;

  /// Home's, and those of all Clusters that are connected to; each once.
  std::vector<std::shared_ptr<kube::Client>> clients();
  /// The Clusters, by namespace and name, that lead there with that client, one of clients().
  /// Nothing: not known, as of home's.
  std::optional<ClusterNames> clusters_at(const kube::Client& client);
  /// Forgets those that a tree lacks. One that no tree had is perhaps newer than this one: it stays
  /// until the next. A client ends when no Cluster that is left leads there by it.
  void keep_only(const ClusterNames& clusters);

 private:
  struct Entry;
  util::Result<std::shared_ptr<Endpoint>> endpoint_for(Entry& entry, const data::Json& cluster,
                                                       const AllowedServers& allowed,
                                                       const std::stop_token& stop);
  void leave(Entry& entry, const resources::ObjectView& cluster);
  /// All that are there. REQUIRES: the lock is held, but not where `all` ends, and they with it.
  void hold(std::vector<std::shared_ptr<Endpoint>>& all);

  std::shared_ptr<Endpoint> m_home;
  std::unique_ptr<ClusterServers> m_servers;
  kube::ClientOptions m_options;
  std::atomic<std::uint64_t> m_run = 1;
  std::mutex m_mutex;  ///< guards the maps, not what is in them
  std::map<ClusterNames::value_type, std::shared_ptr<Entry>> m_entries;
  /// By the kubeconfig's hash, and how far its server was judged.
  std::map<std::string, std::weak_ptr<Endpoint>> m_endpoints;
};

}  // namespace kubist::executors
