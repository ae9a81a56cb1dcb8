// spec.istio of a Cluster whose API server misbehaves: what is installed is what is without that.
#include <filesystem>

#include "integration/faults/left.hpp"
#include "integration/faults/rules.hpp"
#include "played_istiod.hpp"
#include "support/fault_proxy.hpp"

using namespace istio_it;
using namespace faults;

namespace {

using Rules = std::vector<Json>;

/// At writes of the first stage, the middle, the last one, and of what is recorded.
Rules at_each(Rules (*strikes)(const Json& write)) {
  Rules all;
  for (const char* path : {"/customresourcedefinitions/gateways", "/deployments/istiod",
                           "/(mutating|validating)webhookconfigurations/",
                           "/configmaps/kubist-istio", "/configmaps/kubist-install"}) {
    const Rules rules = strikes({{"method", "POST|PATCH"}, {"path", path}});
    all.insert(all.end(), rules.begin(), rules.end());
  }
  return all;
}

std::vector<std::pair<std::string, Rules>> install_rows() {
  return {
      {"none", {}},
      {"503 before, then after", at_each([](const Json& write) {
         return Rules{status(1, 503, write), with(after(status(1, 503, write)), {{"skip", 1}})};
       })},
      {"reset after",
       at_each([](const Json& write) { return Rules{after(first(2, "reset", write))}; })},
      {"silence after",
       at_each([](const Json& write) { return Rules{after(first(1, "silence", write))}; })},
  };
}

/// A project with a Cluster behind the proxy, where Istio is to be installed.
class FarCluster {
 public:
  explicit FarCluster(const FaultProxy& proxy) : m_world("istiofaults") {
    m_world.make_project(project(), {{"allow", {{"clusters", {"https://127.0.0.1:*"}}}},
                                     {"istioInstall", {{"sources", {"ConfigMap/istio"}}}}});
    const auto [config, user] = m_world.token_kubeconfig(k_cluster);
    m_target_user = user;
    Json through = Json::parse(config);
    through["clusters"][0]["cluster"]["server"] = proxy.url();
    make_source();
    put("home", {secret(project(), "far", through.dump())});
  }

  /// Makes the Cluster, and reconciles it.
  CommandResult install() {
    const Json key{{"name", "istio"}, {"key", "istio.tar.gz"}};
    const Json wish{
        {"mode", "Install"}, {"version", "1.31.0"}, {"source", {{"configMapRef", key}}}};
    put("home", {object("Cluster", project(), "far",
                        {{"kubeconfigSecretRef", {{"name", "far"}}}, {"istio", wish}})});
    return run_kubist(
        {"reconcile", "Project/" + project(), "--timeout=100s", "--request-timeout=3s"});
  }
  std::optional<Json> cluster() const { return get("home", "kcl", "far", project()); }
  void remove_cluster() {
    must(run_kubist({"delete", "Cluster/far", "-n", project(), "--timeout=60s"}));
    must(run_kubist(on_the_cluster(k_uninstall)));
  }
  std::vector<AuditedWrite> writes(Audit& audit) const { return audit.writes(m_target_user); }
  /// What was created, each time that it was; but the namespace, which stays at an uninstall.
  Left created(Audit& audit) const {
    Left all;
    for (const Json& event : audit.requests(m_target_user)) {
      if (data::int_at(event, {"responseStatus", "code"}) == 201 &&
          data::string_at(event, {"objectRef", "resource"}) != "namespaces" &&
          data::string_at(event, {"requestURI"}).find("dryRun") == std::string_view::npos) {
        all.insert(cat(data::string_at(event, {"objectRef", "resource"}), '/',
                       data::string_at(event, {"objectRef", "name"})));
      }
    }
    return all;
  }

 private:
  std::string project() const { return m_world.name(); }
  void make_source() const {
    const util::TempDir folder("istio-source");
    const std::filesystem::path path = manifest_without_gateway(folder);
    const std::string archive = folder.path() / "istio.tar.gz";
    const auto made = util::run_command(
        {.args = {"tar", "czf", archive, "-C", path.parent_path(), path.filename()}});
    REQUIRE((made && made->exit_code == 0));
    must(kubectl("home",
                 {"create", "configmap", "istio", "-n", project(), cat("--from-file=", archive)}));
  }

  World m_world;
  std::string m_target_user;
};

/// What is installed; of CRDs the names, and nothing of statuses.
Left installed() {
  std::vector<Json> all;
  for (const auto& [type, ns] : {std::pair{"customresourcedefinitions", ""},
                                 {"clusterroles", ""},
                                 {"clusterrolebindings", ""},
                                 {"mutatingwebhookconfigurations", ""},
                                 {"validatingwebhookconfigurations", ""},
                                 {"namespaces", ""},
                                 {"serviceaccounts", k_system},
                                 {"roles", k_system},
                                 {"rolebindings", k_system},
                                 {"configmaps", k_system},
                                 {"services", k_system},
                                 {"deployments.apps", k_system},
                                 {"poddisruptionbudgets.policy", k_system},
                                 {"horizontalpodautoscalers.autoscaling", k_system}}) {
    for (Json& object : list(k_cluster, type, ns)) {
      const std::string name = object["metadata"]["name"];
      if (name.find("istio") == std::string::npos && ns != std::string(k_system)) {
        continue;
      }
      for (const char* part : {"status", "spec"}) {
        if (part == std::string("status") || object["kind"] == "CustomResourceDefinition" ||
            object["kind"] == "Service") {
          object.erase(part);  // addresses of Services differ
        }
      }
      all.push_back(std::move(object));
    }
  }
  return comparable(std::move(all), {});
}

}  // namespace

TEST_CASE("istio faults: what a Cluster asks for is installed once, whatever answers are lost") {
  const util::TempDir cache("faults-cache");
  FaultProxy proxy(k_cluster);
  const PlayedIstiod istiod;
  must(run_kubist(on_the_cluster(k_uninstall)));
  FarCluster far(proxy);
  Left usual, usually_created;
  for (const auto& [fault, rules] : install_rows()) {
    INFO(fault);
    Json all = rules;
    all.insert(all.begin(), validator());
    proxy.rules(all);
    Audit audit(k_cluster);
    const CommandResult run = far.install();
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    CHECK(condition(far.cluster(), "IstioReady") == "True");
    for (const auto& count : proxy.counts()) {
      CHECK(count.acted > 0);
    }
    const Left left = installed();
    const Left created = far.created(audit);
    if (usual.empty()) {
      usual = left;
      usually_created = created;
      CHECK(created.size() > 30);
    }
    CHECK(difference(usual, left) == "");
    CHECK(difference(usually_created, created) == "");
    proxy.rules(Json::array({validator()}));
    Audit quiet(k_cluster);
    must(far.install());
    CHECK(far.writes(quiet).empty());
    far.remove_cluster();
  }
}
