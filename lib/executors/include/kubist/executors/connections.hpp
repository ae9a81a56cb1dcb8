#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/engine/node.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

/// A cluster that was reached, and which one it is.
struct Connection {
  std::shared_ptr<kube::Client> client;
  kube::ServerVersion version;
  std::string uid;  ///< of its namespace kube-system
};

/// The clients of all Clusters, made when first needed and kept while their kubeconfig stays the
/// same. Any thread; one cluster is connected to once however many ask.
class Connections {
 public:
  /// `options` for the clients of other clusters; `home` stands for `home: true`.
  Connections(std::shared_ptr<kube::Client> home, kube::ClientOptions options);
  ~Connections();

  /// Connects to the cluster that the object describes and checks that it is the one of
  /// status.kubeSystemUID, where that is set. Invalid: KubeconfigNotAllowed,
  /// ClusterIdentityChanged; not_found: SecretNotFound; forbidden, unavailable: as the cluster
  /// answers. `refresh`: read the Secret and ask for the version again (once a run, by the
  /// cluster's executor).
  util::Result<std::shared_ptr<const Connection>> connect(const data::Json& cluster, bool refresh,
                                                          const std::stop_token& stop);

 private:
  struct Entry;
  util::Result<std::shared_ptr<kube::Client>> client_for(Entry& entry, const data::Json& cluster,
                                                         const std::stop_token& stop);
  std::shared_ptr<kube::Client> m_home;
  kube::ClientOptions m_options;
  std::mutex m_mutex;
  std::map<std::string, std::shared_ptr<Entry>> m_entries;  ///< by namespace/name
};

}  // namespace kubist::executors
