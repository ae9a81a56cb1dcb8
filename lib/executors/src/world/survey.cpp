#include "world/survey.hpp"

#include <chrono>
#include <functional>
#include <set>

#include <kubist/data/document.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::size_t k_few = 8;     // as many are read by name
constexpr std::size_t k_waste = 50;  // objects to read for each one wanted, at most
constexpr std::chrono::minutes k_survey_age{1};

/// Reads a collection of all namespaces, item by item; false: it may not be listed, or too little
/// of it is wanted.
bool read_all(kube::Client& client, const kube::ApiResource& resource, const std::string& selector,
              std::size_t wanted, const data::ItemHandler& on_item, const std::stop_token& stop) {
  data::ListReader reader;
  kube::ListOptions options;
  options.label_selector = selector;
  options.max_page = kube::k_max_list;
  options.max_bytes = kube::k_max_reply;
  const auto end = client.list_pages(
      resource, "", options,
      [&](const data::PageBuffer& page) -> util::Result<> {
        KUBIST_TRY(const data::ListHead head, reader.read(page, on_item));
        if (head.remaining.value_or(0) > static_cast<std::int64_t>(k_waste * wanted)) {
          return util::fail(ErrorKind::cancelled, cat("a list of ", resource.plural,
                                                      " has too few of the wanted objects"));
        }
        return {};
      },
      stop);
  return end.has_value();
}

}  // namespace

/// One collection of a cluster by namespace. The first that asks reads it, the others wait.
template <class Value>
struct Survey::Bulk {
  std::mutex mutex;
  bool tried = false;
  bool complete = false;
  std::chrono::steady_clock::time_point read_at;
  std::map<std::string, Value, std::less<>> values;
  std::set<std::string, std::less<>> asked;

  struct Answer {
    bool known = false;          ///< false: ask the server
    std::optional<Value> value;  ///< known and nothing: it was not there
  };

  /// `read` fills `values`, false when it cannot.
  Answer take(const std::string& ns, const std::function<bool()>& read) {
    const std::lock_guard lock(mutex);
    if (!tried) {
      tried = true;
      read_at = std::chrono::steady_clock::now();
      complete = read();
    }
    if (!complete || std::chrono::steady_clock::now() - read_at > k_survey_age) {
      values.clear();
      return {};
    }
    Answer answer{asked.insert(ns).second, {}};
    if (auto found = values.extract(ns); found && answer.known) {
      answer.value = std::move(found.mapped());
    }
    return answer;
  }
};

struct Survey::Cluster {
  Bulk<std::string> namespaces;  ///< as JSON text, which is smaller
  Bulk<std::string> bindings;
  Bulk<std::string> accounts;
  Bulk<Workloads> workloads;
};

Survey::Survey(const engine::Graph& graph, const std::vector<engine::NodeId>& selected,
               const kube::Client& home)
    : m_home(home) {
  for (const engine::NodeId top : selected) {
    for (const engine::NodeId id : graph.subtree(top)) {
      const engine::Node& node = graph[id];
      const bool virtual_cluster =
          node.key.kind == "VirtualCluster" && node.parent != engine::k_no_node;
      if (virtual_cluster && !data::bool_at(graph[node.parent].spec(), {"home"})) {
        ++m_on_cluster[node.parent];
      } else if (virtual_cluster || node.key.kind == "Project") {
        ++m_on_home;
      }
    }
  }
}

Survey::~Survey() = default;

std::size_t Survey::asking(const kube::Client& client, const engine::Node& node) const {
  if (&client == &m_home) {
    return m_on_home;
  }
  const auto found = m_on_cluster.find(node.parent);
  return found != m_on_cluster.end() ? found->second : 0;
}

Survey::Cluster& Survey::cluster(const kube::Client& client) {
  const std::lock_guard lock(m_mutex);
  auto& slot = m_clusters[&client];
  if (!slot) {
    slot = std::make_unique<Cluster>();
  }
  return *slot;
}

util::Result<std::optional<Json>> Survey::find_namespace(kube::Client& client,
                                                         const engine::Node& node,
                                                         const std::string& name,
                                                         const std::stop_token& stop) {
  const kube::ApiResource& resource = kube::well_known::namespaces();
  if (const std::size_t wanted = asking(client, node); wanted > k_few) {
    const auto key_of = [](const data::ListItem& item) { return std::string(item.name); };
    KUBIST_TRY(auto found,
               find_kept(cluster(client).namespaces, client, resource, wanted, name, key_of, stop));
    if (found) {
      return found;
    }
  }
  return client.find(resource, "", name, stop);
}

util::Result<std::optional<Json>> Survey::find_binding(kube::Client& client,
                                                       const engine::Node& node,
                                                       const std::string& name,
                                                       const std::string& ns,
                                                       const std::stop_token& stop) {
  return find_named(cluster(client).bindings, client,
                    {node, kube::well_known::role_bindings(), name, ns}, stop);
}

util::Result<std::optional<Json>> Survey::find_account(kube::Client& client,
                                                       const engine::Node& node,
                                                       const std::string& name,
                                                       const std::string& ns,
                                                       const std::stop_token& stop) {
  return find_named(cluster(client).accounts, client,
                    {node, kube::well_known::service_accounts(), name, ns}, stop);
}

util::Result<std::optional<Json>> Survey::find_named(Bulk<std::string>& bulk, kube::Client& client,
                                                     const Named& named,
                                                     const std::stop_token& stop) {
  if (const std::size_t wanted = asking(client, named.node); wanted > k_few) {
    const auto key_of = [&](const data::ListItem& item) {
      return item.name == named.name ? std::string(item.name_space) : std::string();
    };
    KUBIST_TRY(auto found, find_kept(bulk, client, named.resource, wanted, named.ns, key_of, stop));
    if (found) {
      return found;
    }
  }
  return client.find(named.resource, named.ns, named.name, stop);
}

/// What kubist keeps of a kind, by `key_of` (empty: not wanted); nothing: ask for it by name.
util::Result<std::optional<Json>> Survey::find_kept(Bulk<std::string>& bulk, kube::Client& client,
                                                    const kube::ApiResource& resource,
                                                    std::size_t wanted, const std::string& key,
                                                    const KeyOf& key_of,
                                                    const std::stop_token& stop) {
  const auto keep = [&](const data::ListItem& item) -> util::Result<> {
    if (std::string found = key_of(item); !found.empty()) {
      bulk.values.emplace(std::move(found), item.raw);
    }
    return {};
  };
  const auto answer = bulk.take(key, [&] {
    return read_all(client, resource, cat(resources::k_managed_by_label, "=kubist"), wanted, keep,
                    stop);
  });
  if (!answer.value) {
    return std::optional<Json>();
  }
  KUBIST_TRY(Json found, data::parse_json(*answer.value, key));
  found["apiVersion"] = resource.api_version();  // items of a list lack them
  found["kind"] = resource.kind;
  return std::optional<Json>(std::move(found));
}

util::Result<Workloads> Survey::workloads(kube::Client& client, const engine::Node& node,
                                          const std::string& ns, const std::stop_token& stop) {
  if (const std::size_t wanted = asking(client, node); wanted > k_few) {
    auto& bulk = cluster(client).workloads;
    std::map<std::string, WorkloadReader> found;
    const auto keep = [&](const data::ListItem& item) -> util::Result<> {
      KUBIST_TRY(const Json deployment, data::parse_json(item.raw, std::string(item.name)));
      found[std::string(item.name_space)].add(deployment);
      return {};
    };
    auto answer = bulk.take(ns, [&] {
      if (!read_all(client, kube::well_known::deployments(), "", wanted, keep, stop)) {
        return false;
      }
      for (auto& [name, reader] : found) {
        bulk.values.emplace(name, std::move(reader).finish());
      }
      return true;
    });
    if (answer.known) {
      return answer.value ? *std::move(answer.value) : Workloads{};
    }
  }
  return list_workloads(client, ns, stop);
}

}  // namespace kubist::executors
