#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/engine/graph.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/result.hpp>

#include "world/workloads.hpp"

namespace kubist::executors {

/// What the nodes of one run want to know of their clusters, read for all of them at once where
/// many look at the same cluster: a LIST instead of a GET each. Of what was read so each namespace
/// is handed out once, and not for long: who asks again, or for what is not in it, or may not list,
/// gets a fresh answer by name. Any thread. So what was read is taken away, not shared as a
/// SharedAnswer is.
class Survey {
 public:
  /// `selected`: the subtrees of the run; how many ask about a cluster decides how it is read.
  /// REQUIRES: `home` outlives it.
  Survey(const engine::Graph& graph, const std::vector<engine::NodeId>& selected,
         const kube::Client& home);
  ~Survey();

  /// The Namespace that a Project or VirtualCluster keeps; nothing: there is none.
  util::Result<std::optional<data::Json>> find_namespace(kube::Client& client,
                                                         const engine::Node& node,
                                                         const std::string& name,
                                                         const std::stop_token& stop);
  /// The RoleBinding of that name, which kubist makes in such a namespace; nothing: there is none.
  util::Result<std::optional<data::Json>> find_binding(kube::Client& client,
                                                       const engine::Node& node,
                                                       const std::string& name,
                                                       const std::string& ns,
                                                       const std::stop_token& stop);
  /// The same of a ServiceAccount, which it makes in a Project's.
  util::Result<std::optional<data::Json>> find_account(kube::Client& client,
                                                       const engine::Node& node,
                                                       const std::string& name,
                                                       const std::string& ns,
                                                       const std::stop_token& stop);
  /// The Deployments in the namespace of a VirtualCluster.
  util::Result<Workloads> workloads(kube::Client& client, const engine::Node& node,
                                    const std::string& ns, const std::stop_token& stop);

 private:
  template <class Value>
  struct Bulk;
  struct Cluster;

  using KeyOf = std::function<std::string(const data::ListItem& item)>;
  /// What is wanted in which namespace, and who wants it.
  struct Named {
    const engine::Node& node;
    const kube::ApiResource& resource;
    const std::string& name;
    const std::string& ns;
  };
  util::Result<std::optional<data::Json>> find_named(Bulk<std::string>& bulk, kube::Client& client,
                                                     const Named& named,
                                                     const std::stop_token& stop);
  util::Result<std::optional<data::Json>> find_kept(Bulk<std::string>& bulk, kube::Client& client,
                                                    const kube::ApiResource& resource,
                                                    std::size_t wanted, const std::string& key,
                                                    const KeyOf& key_of,
                                                    const std::stop_token& stop);
  std::size_t asking(const kube::Client& client, const engine::Node& node) const;
  Cluster& cluster(const kube::Client& client);

  const kube::Client& m_home;
  std::size_t m_on_home = 0;
  std::unordered_map<engine::NodeId, std::size_t> m_on_cluster;
  std::mutex m_mutex;  ///< guards m_clusters, not what is in it
  std::map<const kube::Client*, std::unique_ptr<Cluster>> m_clusters;
};

}  // namespace kubist::executors
