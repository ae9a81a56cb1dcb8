#include "session/keepers.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>

#include "keep/inventory_book.hpp"

namespace kubist::executors {

namespace {

using data::Json;

class Finder {
 public:
  Finder(const engine::Graph& graph, Session& session)
      : m_graph(graph), m_home_uid(session.home_uid()), m_home(session.home_client().get()) {
    for (const auto& client : session.clients()) {
      for (const auto& name : session.clusters_at(*client).value_or(ClusterNames{})) {
        m_clients[name] = client.get();
      }
    }
  }

  Keepers find() {
    for (const engine::Node& node : m_graph.nodes()) {
      const resources::Kind* kind = resources::find_kind(node.key.group, node.key.kind);
      add_listed(node, function_inventory(node.status()));
      if (kind == nullptr) {
        add_listed(node, own_inventory(node.status()));
      } else if (kind->name == "VirtualCluster") {
        add(node, resources::virtual_cluster_namespace(*node.object), node.key.ns);
      } else if (kind->name == "Project") {
        const std::string ns = resources::project_namespace(*node.object);
        add(node, ns, ns);
      }
    }
    return std::move(m_keepers);
  }

 private:
  void add_listed(const engine::Node& node, const Json& inventory) {
    for (const Json& made : inventory) {
      const std::string ns(data::string_at(made, {"namespace"}));
      add(node, ns.empty() ? std::string(data::string_at(made, {"name"})) : ns,
          keeper_name(node.key));
    }
  }

  void add(const engine::Node& node, const std::string& where, const std::string& project) {
    const engine::Node* cluster = cluster_of(node);
    const auto client =
        cluster == nullptr ? m_clients.end() : m_clients.find({cluster->key.ns, cluster->key.name});
    if (client != m_clients.end()) {
      m_keepers[client->second][where].insert(project);
    }
    if (cluster == nullptr || leads_home(*cluster)) {
      m_keepers[m_home][where].insert(project);
    }
  }

  /// Null: it has none, and is at home.
  const engine::Node* cluster_of(const engine::Node& node) const {
    const engine::Node* above = &node;
    while (above->key.kind != "Cluster") {
      if (above->parent == engine::k_no_node) {
        return nullptr;
      }
      above = &m_graph[above->parent];
    }
    return above;
  }

  bool leads_home(const engine::Node& cluster) const {
    return data::bool_at(cluster.spec(), {"home"}) ||
           data::string_at(cluster.status(), {"kubeSystemUID"}) == m_home_uid;
  }

  const engine::Graph& m_graph;
  const std::string m_home_uid;
  const kube::Client* m_home;
  std::map<std::pair<std::string, std::string>, const kube::Client*> m_clients;
  Keepers m_keepers;
};

}  // namespace

std::string keeper_name(const engine::Key& owner) {
  return owner.ns.empty() ? owner.kind + '/' + owner.name : owner.ns;
}

Keepers find_keepers(const engine::Graph& graph, Session& session) {
  return Finder(graph, session).find();
}

}  // namespace kubist::executors
