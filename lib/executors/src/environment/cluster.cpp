#include <algorithm>

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
    KUBIST_CHECK(release_secret(work));
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

  static std::string secret_name(Work& work) {
    return std::string(data::string_at(work.node().spec(), {"kubeconfigSecretRef", "name"}));
  }

  // Credentials outlive what needs them: a finalizer on the Secret.
  static util::Result<> keep_secret(Work& work) {
    const std::string name = secret_name(work);
    return name.empty() ? util::Result<>{}
                        : work.set_finalizer(kube::well_known::secrets(), work.node().key.ns, name,
                                             resources::k_in_use_finalizer, true);
  }

  // The finalizer also kept items from the credentials, which are as good as before: a label does
  // so from now on.
  static util::Result<> release_secret(Work& work) {
    const auto& secrets = kube::well_known::secrets();
    const std::string& ns = work.node().key.ns;
    const std::string name = secret_name(work);
    if (name.empty() || shared(work, name)) {
      return {};
    }
    KUBIST_TRY(auto secret, work.home().client.find(secrets, ns, name, work.stop()));
    if (!secret || !resources::ObjectView(*secret).has_finalizer(resources::k_in_use_finalizer)) {
      return {};
    }
    if (resources::ObjectView(*secret).label(deployers::k_internal_label) != "true") {
      const Json label{{std::string(deployers::k_internal_label), "true"}};
      KUBIST_TRY(secret, work.writer().patch(work.home(), secrets, ns, name, kube::PatchType::merge,
                                             {{"metadata", {{"labels", label}}}}));
    }
    return work.set_finalizer(secrets, ns, name, resources::k_in_use_finalizer, false,
                              std::move(secret));
  }

  static bool shared(Work& work, const std::string& secret) {
    for (const engine::Node& other : work.context().graph.nodes()) {
      if (other.key.kind == "Cluster" && other.key.ns == work.node().key.ns &&
          other.key.name != work.node().key.name && !work.context().graph.deleting(other.id) &&
          data::string_at(other.spec(), {"kubeconfigSecretRef", "name"}) == secret) {
        return true;
      }
    }
    return false;
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
