#include <kubist/data/pointer.hpp>
#include <kubist/executors/connections.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;
using util::ErrorKind;

struct Connections::Entry {
  std::mutex mutex;
  std::string kubeconfig_hash;
  std::shared_ptr<kube::Client> client;
  std::shared_ptr<const Connection> connection;
};

namespace {

util::Error with_reason(util::Error error, std::string reason) {
  error.reason = std::move(reason);
  return error;
}

util::Result<std::string> kubeconfig_text(kube::Client& home, const Json& cluster,
                                          const std::stop_token& stop) {
  const resources::ObjectView view(cluster);
  const std::string name(data::string_at(view.spec(), {"kubeconfigSecretRef", "name"}));
  const std::string key(data::string_at(view.spec(), {"kubeconfigSecretRef", "key"},
                                        resources::k_default_kubeconfig_key));
  const std::string what = cat("Secret ", view.ns(), '/', name);
  KUBIST_TRY(const auto secret, home.find(kube::well_known::secrets(), view.ns(), name, stop));
  if (!secret) {
    return util::fail(with_reason(
        util::make_error(ErrorKind::not_found, cat(what, " with the kubeconfig does not exist"),
                         cat("Create it with key ", key, ", or correct spec.kubeconfigSecretRef.")),
        "SecretNotFound"));
  }
  const Json* value = data::find_path(*secret, {"data", key});
  auto text = value != nullptr && value->is_string()
                  ? util::base64_decode(value->get_ref<const std::string&>())
                  : std::nullopt;
  if (!text) {
    return util::fail(with_reason(
        util::make_error(ErrorKind::invalid, cat(what, " has no key ", key)), "SecretKeyNotFound"));
  }
  return *text;
}

}  // namespace

Connections::Connections(std::shared_ptr<kube::Client> home, kube::ClientOptions options)
    : m_home(std::move(home)), m_options(std::move(options)) {}
Connections::~Connections() = default;

util::Result<std::shared_ptr<kube::Client>> Connections::client_for(Entry& entry,
                                                                    const Json& cluster,
                                                                    const std::stop_token& stop) {
  const resources::ObjectView view(cluster);
  if (data::bool_at(view.spec(), {"home"})) {
    return m_home;
  }
  KUBIST_TRY(const std::string text, kubeconfig_text(*m_home, cluster, stop));
  const std::string hash = util::sha256_hex(text);
  if (entry.client && entry.kubeconfig_hash == hash) {
    return entry.client;
  }
  KUBIST_TRY(auto access,
             kube::strict_access(text, cat("kubeconfig of Cluster ", view.ns(), '/', view.name())));
  KUBIST_TRY(entry.client, kube::Client::connect(std::move(access), m_options));
  entry.kubeconfig_hash = hash;
  return entry.client;
}

util::Result<std::shared_ptr<const Connection>> Connections::connect(const Json& cluster,
                                                                     bool refresh,
                                                                     const std::stop_token& stop) {
  const resources::ObjectView view(cluster);
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(m_mutex);
    auto& slot = m_entries[cat(view.ns(), '/', view.name())];
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
  auto found = std::make_shared<Connection>();
  KUBIST_TRY(found->client, client_for(*entry, cluster, stop));
  KUBIST_TRY(found->version, found->client->version(stop));
  KUBIST_TRY(
      const Json system,
      found->client->json(kube::get(kube::well_known::namespaces(), "", "kube-system"), stop));
  found->uid = resources::ObjectView(system).uid();
  const std::string_view known = data::string_at(view.status(), {"kubeSystemUID"});
  if (!known.empty() && known != found->uid) {
    return util::fail(with_reason(
        util::make_error(
            ErrorKind::invalid,
            cat("Cluster ", view.name(), " leads to another cluster than before (kube-system ",
                found->uid, " instead of ", known, ')'),
            "Correct the kubeconfig, or delete the Cluster and make a new one."),
        "ClusterIdentityChanged"));
  }
  entry->connection = found;
  return entry->connection;
}

}  // namespace kubist::executors
