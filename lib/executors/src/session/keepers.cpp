#include "session/keepers.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>

#include "keep/inventory_book.hpp"
#include "keep/traffic_place.hpp"

namespace kubist::executors {

namespace {

using data::Json;

/// Of the entries of a list those that count.
template <class Each>
void each_of(const Json& inventory, const Each& each) {
  std::size_t left = k_most_kept;
  for (const Json& made : inventory) {
    if (left-- == 0) {
      return;
    }
    each(made);
  }
}

/// Does its status say what its kind by itself does not?
bool is_by_functions(const engine::Node& node) {
  return node.executor || resources::find_kind(node.key.group, node.key.kind) == nullptr;
}

/// What functions made for it: nothing where none is named, whatever its status says.
const Json& made_by_functions(const engine::Node& node) {
  static const Json k_none = Json::array();
  return is_by_functions(node) ? function_inventory(node.status()) : k_none;
}

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
      add_listed(node, made_by_functions(node));
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

  KeptPlaces find_places() {
    for (const engine::Node& node : m_graph.nodes()) {
      const bool own_kind = resources::find_kind(node.key.group, node.key.kind) != nullptr;
      add_places(node, made_by_functions(node));
      add_places(node, own_inventory(node.status()));
      if (own_kind && node.key.kind == "VirtualCluster") {
        add_place(node, {"", "Namespace", "", resources::virtual_cluster_namespace(*node.object)});
      } else if (own_kind && node.key.kind == "Project") {
        add_place(node, {"", "Namespace", "", resources::project_namespace(*node.object)});
      }
    }
    return std::move(m_places);
  }

 private:
  void add_listed(const engine::Node& node, const Json& inventory) {
    each_of(inventory, [&](const Json& made) {
      const std::string ns(data::string_at(made, {"namespace"}));
      add(node, ns.empty() ? std::string(data::string_at(made, {"name"})) : ns,
          keeper_name(node.key));
    });
  }

  void add(const engine::Node& node, const std::string& where, const std::string& project) {
    for (const kube::Client* client : clients_of(node)) {
      m_keepers[client][where].insert(project);
    }
  }

  void add_places(const engine::Node& node, const Json& inventory) {
    each_of(inventory, [&](const Json& made) {
      const auto text = [&](std::string_view key) {
        return std::string(data::string_at(made, {key}));
      };
      const std::string ns = text("namespace");
      add_place(node, {text("group"), text("kind"), ns, ns.empty() ? text("name") : ""});
    });
  }

  void add_place(const engine::Node& node, const KeptPlace& place) {
    const bool by_itself =
        node.key.group == resources::k_kubist_group &&
        (node.key.kind == "Project" || node.key.kind == "Root" || node.key.kind == "Cluster");
    if (const auto clients = clients_of(node); !clients.empty()) {
      m_places[clients.back()].emplace(place, by_itself ? &node : m_graph.project_of(node.key.ns));
    }
  }

  /// By which its cluster is known: last, if it is home, the home client.
  std::vector<const kube::Client*> clients_of(const engine::Node& node) const {
    std::vector<const kube::Client*> clients;
    const engine::Node* cluster = cluster_of(node);
    const auto client =
        cluster == nullptr ? m_clients.end() : m_clients.find({cluster->key.ns, cluster->key.name});
    if (client != m_clients.end()) {
      clients.push_back(client->second);
    }
    if (cluster == nullptr || leads_home(*cluster)) {
      clients.push_back(m_home);
    }
    return clients;
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
  KeptPlaces m_places;
};

}  // namespace

std::string keeper_name(const engine::Key& owner) {
  return owner.ns.empty() ? owner.kind + '/' + owner.name : owner.ns;
}

std::string keeper_namespace(const engine::Node* keeper) {
  return keeper == nullptr               ? ""
         : keeper->key.kind == "Project" ? resources::project_namespace(*keeper->object)
                                         : keeper->key.ns;
}

std::set<engine::Key> find_long_lists(const engine::Graph& graph) {
  std::set<engine::Key> nodes;
  for (const engine::Node& node : graph.nodes()) {
    if (is_by_functions(node) && std::max(own_inventory(node.status()).size(),
                                          function_inventory(node.status()).size()) > k_most_kept) {
      nodes.insert(node.key);
    }
  }
  return nodes;
}

Keepers find_keepers(const engine::Graph& graph, Session& session) {
  return Finder(graph, session).find();
}

KeptKinds kept_kinds(const engine::Graph& graph) {
  static const std::map<std::string_view, std::vector<GroupKind>> k_kept_kinds{
      {"Destination", {{"", "Service"}, {k_istio_group, "DestinationRule"}}},
      {"EntryGateway", {{k_istio_group, "Gateway"}}},
      {"ExternalService", {{k_istio_group, "ServiceEntry"}}},
      {"TrafficRoute",
       {{"", "Service"}, {k_istio_group, "VirtualService"}, {k_gateway_api_group, "HTTPRoute"}}}};
  KeptKinds kinds;
  std::set<GroupKind> own;
  for (const engine::Node& node : graph.nodes()) {
    const bool served = resources::find_kind(node.key.group, node.key.kind) == nullptr;
    const auto found = k_kept_kinds.find(node.key.kind);
    if (found != k_kept_kinds.end() && !served) {
      own.insert(found->second.begin(), found->second.end());
    }
    if (!is_by_functions(node)) {
      continue;
    }
    for (const auto* list : {&own_inventory(node.status()), &function_inventory(node.status())}) {
      each_of(*list, [&](const Json& made) {
        kinds[{data::string_at(made, {"group"}), data::string_at(made, {"kind"})}].insert(
            engine::project_of(node));
      });
    }
  }
  for (const GroupKind& kind : own) {
    kinds[kind].clear();
  }
  return kinds;
}

KeptPlaces find_places(const engine::Graph& graph, Session& session) {
  return Finder(graph, session).find_places();
}

}  // namespace kubist::executors
