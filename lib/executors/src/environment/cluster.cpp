#include <algorithm>
#include <set>

#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "environment/cluster_istio.hpp"
#include "keep/kinds.hpp"

namespace kubist::executors {

using data::Json;
using engine::Alignment;
using engine::Outcome;
using util::cat;

namespace {

class ClusterExecutor final : public ManagedExecutor {
 public:
  using ManagedExecutor::ManagedExecutor;

  /// A server that did not answer the last time, or was never asked, may take its whole time.
  engine::Waits waits(const engine::Node& node) const override {
    const Json* connected = engine::find_condition(node.status(), "Connected");
    const bool answered = connected != nullptr && data::string_at(*connected, {"status"}) == "True";
    return answered ? engine::Waits::no : engine::Waits::for_server;
  }

 protected:
  util::Result<Alignment> align_node(Work& work) override {
    JudgedIstio judged;
    auto alignment = look_at_cluster(work, judged);
    if (world().judges_istio) {
      world().judges_istio(work.node().key, judged);
    }
    return alignment;
  }

  util::Result<engine::Removal> remove_node(Work& work) override {
    KUBIST_CHECK(release_secrets(work));
    return engine::Removal{};
  }

 private:
  util::Result<Alignment> look_at_cluster(Work& work, JudgedIstio& judged) {
    auto connection = world().connections.connect(
        effective(work), allowed_servers(work.context().graph, work.node()), true, work.stop());
    if (!connection) {
      Alignment alignment = engine::alignment_of(connection.error());
      alignment.conditions.push_back({"Connected", "False", alignment.reason, alignment.message});
      return alignment;
    }
    KUBIST_CHECK(keep_secret(work));
    // The loop, which waits for no server, watches what this says is there.
    const bool has_made = data::find_path(work.node().status(), {"executor"}) != nullptr;
    if (world().makes_as && (has_made || !work.node().children.empty())) {
      static_cast<void>((*connection)->client->discovery().index(work.stop()));
    }
    Alignment alignment;
    alignment.status["server"] = (*connection)->client->server();
    alignment.status["kubernetesVersion"] = (*connection)->version.git_version;
    alignment.status["kubeSystemUID"] = (*connection)->uid;
    alignment.conditions.push_back(
        {"Connected", "True", "Connected", cat("reached ", (*connection)->client->server())});
    const auto& children = work.node().children;
    alignment.status["virtualClusters"] = std::count_if(
        children.begin(), children.end(),
        [&](engine::NodeId id) { return work.context().graph[id].key.kind == "VirtualCluster"; });
    check_version((*connection)->version, alignment);
    KUBIST_TRY(const auto refused,
               world().connections.refused_on_namespaces(**connection, work.stop()));
    alignment.conditions.push_back(
        refused.empty()
            ? resources::Condition{"AccessGranted", "True", "Allowed", "namespaces can be managed"}
            : resources::Condition{
                  "AccessGranted", "Unknown", "ByNamespace",
                  "each VirtualCluster says whether its namespace can be managed"});
    KUBIST_TRY(const auto seen, align_istio(**connection, work, alignment));
    if (seen) {  // who may not see all of Istio may not watch it either
      judged = judged_istio(**connection, *seen);
    }
    return alignment;
  }

  static JudgedIstio judged_istio(const Connection& connection, const istio::Evidence& seen) {
    JudgedIstio judged{connection.client,
                       [endpoint = std::weak_ptr(connection.endpoint)] {
                         Connections::forget_istio(endpoint.lock());
                       },
                       {}};
    for (const auto* configs : {&seen.injectors, &seen.validators}) {
      for (const istio::WebhookConfig& config : istio::items_of(*configs)) {
        for (const istio::Webhook& webhook : config.webhooks) {
          judged.namespaces.insert(webhook.target.ns);
        }
      }
    }
    judged.namespaces.erase("");  // those that call a URL
    return judged;
  }

  // The object with the spec that its policies gave.
  static Json effective(Work& work) {
    Json object = *work.node().object;
    object["spec"] = work.spec();
    return object;
  }

  /// Of the Secret that a Cluster with that spec is connected by; empty: there is none.
  static std::string secret_name(const Json& spec) {
    return data::bool_at(spec, {"home"})
               ? std::string()
               : std::string(data::string_at(spec, {"kubeconfigSecretRef", "name"}));
  }

  /// By which it may have been connected: its spec, and what its policies last made of it. Neither
  /// says that it was.
  static std::set<std::string> secret_names(const engine::Node& cluster) {
    const Json& spec = cluster.spec();
    std::set<std::string> names{secret_name(spec),
                                secret_name(data::apply_merge_patch(
                                    spec, data::object_at(cluster.status(), {"effective"})))};
    names.erase("");
    return names;
  }

  // Credentials outlive what needs them: a finalizer on the Secret.
  // REQUIRES: the cluster is connected.
  static util::Result<> keep_secret(Work& work) {
    const std::string name = secret_name(work.spec());
    return name.empty() ? util::Result<>{}
                        : work.set_finalizer(kube::well_known::secrets(), work.node().key.ns, name,
                                             resources::k_in_use_finalizer, true);
  }

  static util::Result<> release_secrets(Work& work) {
    for (const std::string& name : secret_names(work.node())) {
      if (!shared(work, name)) {
        KUBIST_CHECK(release_secret(work, name));
      }
    }
    return {};
  }

  // The finalizer also kept items from the credentials, which are as good as before: a label does
  // so from now on, whatever value somebody gave it. Members write specs and statuses, but not
  // Secrets: only the finalizer says that a Cluster was connected by this one.
  static util::Result<> release_secret(Work& work, const std::string& name) {
    const auto& secrets = kube::well_known::secrets();
    const std::string& ns = work.node().key.ns;
    KUBIST_TRY(auto secret, work.home().client.find(secrets, ns, name, work.stop()));
    if (!secret || !resources::ObjectView(*secret).has_finalizer(resources::k_in_use_finalizer)) {
      return {};
    }
    if (!resources::ObjectView(*secret).labels().contains(deployers::k_internal_label)) {
      const Json label{{std::string(deployers::k_internal_label), "true"}};
      KUBIST_TRY(secret, work.writer().patch(work.home(), secrets, ns, name, kube::PatchType::merge,
                                             {{"metadata", {{"labels", label}}}}));
    }
    return work.set_finalizer(secrets, ns, name, resources::k_in_use_finalizer, false,
                              std::move(secret));
  }

  static bool shared(Work& work, const std::string& secret) {
    const auto& nodes = work.context().graph.nodes();
    return std::any_of(nodes.begin(), nodes.end(), [&](const engine::Node& other) {
      return other.key.kind == "Cluster" && other.key.ns == work.node().key.ns &&
             other.key.name != work.node().key.name && !work.context().graph.deleting(other.id) &&
             secret_names(other).contains(secret);
    });
  }

  static void check_version(const kube::ServerVersion& version, Alignment& alignment) {
    if (version.major > 1 || version.minor >= kube::k_oldest_minor) {
      return;
    }
    alignment.outcome = Outcome::stalled;
    alignment.reason = "VersionTooOld";
    alignment.message =
        cat("Kubernetes ", version.git_version, " is older than 1.", kube::k_oldest_minor);
  }
};

}  // namespace

std::shared_ptr<ManagedExecutor> make_cluster_executor(World& world) {
  return std::make_shared<ClusterExecutor>(world);
}

}  // namespace kubist::executors
