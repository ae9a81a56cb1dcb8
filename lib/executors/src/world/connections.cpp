#include <kubist/data/pointer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/executors/connections.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/http/fetch.hpp>
#include <kubist/istio/check.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "world/cluster_servers.hpp"
#include "world/shared_answer.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;
using util::ErrorKind;

struct Identity {
  kube::ServerVersion version;
  std::string uid;
};

struct Endpoint {
  std::shared_ptr<kube::Client> client;
  std::string known_uid;  ///< empty: asked each run
  SharedAnswer<Identity> identity;
  SharedAnswer<std::set<std::string>> refused;
  SharedAnswer<std::shared_ptr<const istio::Evidence>> istio;
  std::mutex istio_installation;
  ClusterNames clusters;  ///< guarded by the mutex of the map that it is in
};

/// One Cluster object.
struct Connections::Entry {
  std::mutex mutex;
  std::string kubeconfig_hash;
  std::shared_ptr<Endpoint> endpoint;
  std::shared_ptr<const Connection> connection;
  int trees = 2;  ///< that may lack it before it is forgotten; guarded by the map's mutex
};

namespace {

util::Result<std::string> kubeconfig_text(kube::Client& home, const Json& cluster,
                                          const std::stop_token& stop) {
  const resources::ObjectView view(cluster);
  const std::string name(data::string_at(view.spec(), {"kubeconfigSecretRef", "name"}));
  const std::string key(data::string_at(view.spec(), {"kubeconfigSecretRef", "key"},
                                        resources::k_default_kubeconfig_key));
  const std::string what = cat("Secret ", view.ns(), '/', name);
  KUBIST_TRY(const auto secret, home.find(kube::well_known::secrets(), view.ns(), name, stop));
  if (!secret) {
    return util::fail(ErrorKind::not_found, cat(what, " with the kubeconfig does not exist"),
                      cat("Create it with key ", key, ", or correct spec.kubeconfigSecretRef."),
                      "SecretNotFound");
  }
  // A script may give the kubeconfig of a cluster that it made, in the Secret of its own name.
  // Under another name it would come before the one that an administrator has yet to create.
  if (const resources::ObjectView found(*secret); deployers::is_export_by_choice(found)) {
    return util::fail(
        ErrorKind::invalid,
        cat(what, " was made for DeployItem ",
            found.annotation(deployers::k_deploy_item_annotation), ", under a name of its choice"),
        "Let the item export it without spec.export.secretRef.", "KubeconfigNotAllowed");
  }
  const Json* value = data::find_path(*secret, {"data", key});
  auto text = value != nullptr && value->is_string()
                  ? util::base64_decode(value->get_ref<const std::string&>())
                  : std::nullopt;
  if (!text) {
    return util::fail(ErrorKind::invalid, cat(what, " has no key ", key), "", "SecretKeyNotFound");
  }
  return *text;
}

/// It says nothing of the kubeconfig: the Secret could not be read this time.
bool is_passing(const util::Error& error) {
  return error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout ||
         error.kind == ErrorKind::cancelled;
}

util::Result<Identity> ask_for_identity(const Endpoint& endpoint, const std::stop_token& stop) {
  Identity found;
  auto version = endpoint.client->version(stop);
  if (!version && version.error().reason == http::k_failure_address) {
    version.error().hint = allow_clusters_hint();
  }
  KUBIST_TRY(found.version, std::move(version));
  found.uid = endpoint.known_uid;
  if (found.uid.empty()) {
    KUBIST_TRY(found.uid, cluster_uid(*endpoint.client, stop));
  }
  return found;
}

util::Result<std::set<std::string>> ask_what_is_refused(kube::Client& client,
                                                        const std::stop_token& stop) {
  std::set<std::string> refused;
  for (const char* verb : {"get", "create", "patch", "delete"}) {
    KUBIST_TRY(const auto answer, client.can_i({.verb = verb, .resource = "namespaces"}, stop));
    if (!answer.allowed) {
      refused.insert(verb);
    }
  }
  return refused;
}

}  // namespace

Connections::Connections(std::shared_ptr<kube::Client> home, std::string home_uid,
                         kube::ClientOptions options)
    : m_home(std::make_shared<Endpoint>()),
      m_servers(std::make_unique<ClusterServers>(home)),
      m_options(std::move(options)) {
  m_home->client = std::move(home);
  m_home->known_uid = std::move(home_uid);
}
Connections::~Connections() = default;

util::Result<std::shared_ptr<Endpoint>> Connections::endpoint_for(Entry& entry, const Json& cluster,
                                                                  const AllowedServers& allowed,
                                                                  const std::stop_token& stop) {
  const resources::ObjectView view(cluster);
  if (data::bool_at(view.spec(), {"home"})) {
    leave(entry, view);
    return m_home;
  }
  KUBIST_TRY(const std::string text, kubeconfig_text(*m_home->client, cluster, stop));
  const std::string called = cat("kubeconfig of Cluster ", view.ns(), '/', view.name());
  KUBIST_TRY(auto access, kube::strict_access(text, called));
  KUBIST_TRY(const auto way, m_servers->way_to(access.server, allowed, called, stop));
  // Who may go further shares no connection with who may not.
  const std::string hash = cat(util::sha256_hex(text), way.named ? " named" : "");
  if (entry.endpoint && entry.kubeconfig_hash == hash) {
    return entry.endpoint;
  }
  leave(entry, view);
  const std::lock_guard lock(m_mutex);
  auto endpoint = m_endpoints[hash].lock();
  if (!endpoint) {
    std::erase_if(m_endpoints, [](const auto& each) { return each.second.expired(); });
    endpoint = std::make_shared<Endpoint>();
    kube::ClientOptions options = m_options;
    options.engine = way.engine;
    KUBIST_TRY(endpoint->client, kube::Client::connect(std::move(access), std::move(options)));
    m_endpoints[hash] = endpoint;
  }
  endpoint->clusters.emplace(view.ns(), view.name());
  entry.endpoint = endpoint;
  entry.kubeconfig_hash = hash;
  return endpoint;
}

/// It leads there no longer.
void Connections::leave(Entry& entry, const resources::ObjectView& cluster) {
  const auto former = std::exchange(entry.endpoint, nullptr);  // ends without the lock
  const std::lock_guard lock(m_mutex);
  if (former) {
    former->clusters.erase({std::string(cluster.ns()), std::string(cluster.name())});
  }
}

util::Result<std::shared_ptr<const Connection>> Connections::connect(const Json& cluster,
                                                                     const AllowedServers& allowed,
                                                                     bool refresh,
                                                                     const std::stop_token& stop) {
  const resources::ObjectView view(cluster);
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(m_mutex);
    auto& slot = m_entries[{std::string(view.ns()), std::string(view.name())}];
    if (!slot) {
      slot = std::make_shared<Entry>();
    }
    entry = slot;
  }
  const std::lock_guard lock(entry->mutex);
  if (entry->connection && !refresh) {
    return entry->connection;
  }
  entry->connection = nullptr;
  const auto reached = endpoint_for(*entry, cluster, allowed, stop);
  if (!reached) {
    if (!is_passing(reached.error())) {
      leave(*entry, view);
    }
    return util::fail(reached.error());
  }
  const auto& endpoint = *reached;
  KUBIST_TRY(Identity found,
             endpoint->identity.get(m_run, [&] { return ask_for_identity(*endpoint, stop); }));
  const std::string_view known = data::string_at(view.status(), {"kubeSystemUID"});
  if (!known.empty() && known != found.uid) {
    return util::fail(
        ErrorKind::invalid,
        cat("Cluster ", view.name(), " leads to another cluster than before (kube-system ",
            found.uid, " instead of ", known, ')'),
        "Correct the kubeconfig, or delete the Cluster and make a new one.",
        "ClusterIdentityChanged");
  }
  entry->connection = std::make_shared<const Connection>(
      Connection{endpoint->client, std::move(found.version), std::move(found.uid), endpoint});
  return entry->connection;
}

util::Result<std::shared_ptr<kube::Client>> Connections::client_by(kube::ClusterAccess access,
                                                                   const AllowedServers& allowed,
                                                                   const std::string& called,
                                                                   const std::stop_token& stop) {
  KUBIST_TRY(const auto way, m_servers->way_to(access.server, allowed, called, stop));
  kube::ClientOptions options = m_options;
  options.engine = way.engine;
  return kube::Client::connect(std::move(access), std::move(options));
}

void Connections::hold(std::vector<std::shared_ptr<Endpoint>>& all) {
  for (const auto& [hash, endpoint] : m_endpoints) {
    if (auto there = endpoint.lock()) {
      all.push_back(std::move(there));
    }
  }
}

std::vector<std::shared_ptr<kube::Client>> Connections::clients() {
  std::vector<std::shared_ptr<Endpoint>> held{m_home};
  {
    const std::lock_guard lock(m_mutex);
    hold(held);
  }
  std::vector<std::shared_ptr<kube::Client>> all;
  for (const auto& endpoint : held) {
    all.push_back(endpoint->client);
  }
  return all;
}

std::optional<ClusterNames> Connections::clusters_at(const kube::Client& client) {
  std::vector<std::shared_ptr<Endpoint>> held;
  const std::lock_guard lock(m_mutex);
  hold(held);
  for (const auto& endpoint : held) {
    if (endpoint->client.get() == &client) {
      return endpoint->clusters;
    }
  }
  return std::nullopt;
}

void Connections::keep_only(const ClusterNames& clusters) {
  std::vector<std::shared_ptr<Entry>> gone;  // clients end without the lock
  std::vector<std::shared_ptr<Endpoint>> held;
  const std::lock_guard lock(m_mutex);
  for (auto entry = m_entries.begin(); entry != m_entries.end();) {
    if (clusters.contains(entry->first)) {
      entry->second->trees = 1;
    } else if (--entry->second->trees == 0) {
      gone.push_back(std::move(entry->second));
      entry = m_entries.erase(entry);
      continue;
    }
    ++entry;
  }
  hold(held);
  for (const auto& endpoint : held) {
    std::erase_if(endpoint->clusters, [&](const auto& name) { return !m_entries.contains(name); });
  }
  std::erase_if(m_endpoints, [](const auto& each) { return each.second.expired(); });
}

util::Result<std::set<std::string>> Connections::refused_on_namespaces(
    const Connection& connection, const std::stop_token& stop) {
  Endpoint& endpoint = *connection.endpoint;
  return endpoint.refused.get(m_run, [&] { return ask_what_is_refused(*endpoint.client, stop); });
}

util::Result<std::shared_ptr<const istio::Evidence>> Connections::istio(
    const Connection& connection, const std::stop_token& stop) {
  constexpr std::chrono::seconds k_good_for{10};
  const auto period = util::system_clock().monotonic().time_since_epoch() / k_good_for;
  Endpoint& endpoint = *connection.endpoint;
  return endpoint.istio.get(static_cast<std::uint64_t>(period),
                            [&]() -> util::Result<std::shared_ptr<const istio::Evidence>> {
                              istio::GatherOptions options;
                              options.server_version = connection.version;
                              KUBIST_TRY(auto evidence,
                                         istio::gather(*endpoint.client, options, stop));
                              return std::make_shared<const istio::Evidence>(std::move(evidence));
                            });
}

void Connections::forget_istio(const std::shared_ptr<Endpoint>& endpoint) {
  if (endpoint) {
    endpoint->istio.forget();
  }
}

std::unique_lock<std::mutex> Connections::lock_istio(const Connection& connection) {
  return std::unique_lock(connection.endpoint->istio_installation);
}

util::Result<std::string> Connections::fetch(const std::string& url, std::size_t max_bytes,
                                             const std::stop_token& stop) const {
  const auto engine = m_options.engine ? m_options.engine : std::make_shared<http::CurlEngine>();
  return http::fetch(engine, url, max_bytes, stop, http::Redirects::refuse);
}

}  // namespace kubist::executors
