// spec.istio of a Cluster on the real istiod: what is installed, what is not, and who waits for it.
#include <csignal>

#include <kubist/data/pointer.hpp>

#include "installation.hpp"

using namespace istio_it;

namespace {

/// A project with one Cluster that has that spec.istio, and a namespace and an item on it.
class Stage {
 public:
  Stage(const std::string& test, const Json& grant, const Json& istio) : m_world(test) {
    m_world.make_project(project(), grant);
    put("home",
        {object("Cluster", project(), "home", {{"home", true}, {"istio", istio}}),
         virtual_cluster(project(), "dev", "home", ns(), {{"injection", {{"mode", "Unmanaged"}}}}),
         {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
          {"kind", "DeployItem"},
          {"metadata", {{"name", "pretend"}, {"namespace", project()}}},
          {"spec",
           {{"type", "kubist.io/mock"},
            {"target", {{"name", "dev"}}},
            {"config", {{"phase", "Succeeded"}}}}}}});
  }

  std::string project() const { return m_world.name(); }
  std::string ns() const { return m_world.name("dev"); }
  std::string user() const { return m_world.user(); }
  Words reconcile(const std::string& timeout = "140s") const {
    return m_world.as_user(
        {"reconcile", "Project/" + project(), "--timeout=" + timeout, "--lock-timeout=60s"});
  }
  std::optional<Json> cluster() const { return get("home", "kcl", "home", project()); }
  std::optional<Json> node(const std::string& type, const std::string& name) const {
    return get("home", type, name, project());
  }
  void change_istio(const Json& patch) {
    must(kubectl("home", {"patch", "kcl", "home", "-n", project(), "--type=merge", "-p",
                          Json{{"spec", {{"istio", patch}}}}.dump()}));
  }
  /// The manifests as an archive in ConfigMap `istio`.
  void make_source() {
    const kubist::util::TempDir folder("istio-source");
    const std::string archive = folder.path() / "istio.tar.gz";
    const std::filesystem::path path = manifest();
    kubist::util::Command command;
    command.args = {"tar", "czf", archive, "-C", path.parent_path(), path.filename()};
    const auto made = kubist::util::run_command(command);
    REQUIRE((made && made->exit_code == 0));
    must(kubectl("home",
                 {"create", "configmap", "istio", "-n", project(), cat("--from-file=", archive)}));
  }
  void check_others_go_on() const {
    CHECK(condition(node("kvc", "dev"), "Ready") == "True");
    const auto item = node("deployitems", "pretend");
    CHECK((item && kubist::data::string_at(*item, {"status", "phase"}) == "Succeeded"));
  }

 private:
  World m_world;
};

Json install_wish(const std::string& version = "1.31.0") {
  return {{"mode", "Install"},
          {"version", version},
          {"source", {{"configMapRef", {{"name", "istio"}, {"key", "istio.tar.gz"}}}}}};
}

Json granting(const std::string& source) {
  return {{"istioInstall", {{"sources", Json::array({source})}}}};
}

// What was read in lists, by path and query.
std::multiset<std::string> lists(Audit& audit, const std::string& user) {
  std::multiset<std::string> found;
  for (const Json& event : audit.requests(user)) {
    if (event.value("verb", "") == "list") {
      found.insert(event.value("requestURI", ""));
    }
  }
  return found;
}

void no_write_of_istio(Audit& audit, const std::string& user) {
  for (const AuditedWrite& write : audit.writes(user)) {
    const bool own = write.resource == "clusters" || write.resource == "projects" ||
                     write.resource == "virtualclusters" || write.resource == "deployitems" ||
                     write.resource == "leases" || write.resource == "namespaces" ||
                     write.resource == "secrets";
    CHECK_MESSAGE(own, write.to_string());
    CHECK_MESSAGE(write.name != k_system, write.to_string());
  }
}

}  // namespace

TEST_CASE("spec.istio: nothing is installed that the Project does not grant or the source lacks") {
  take_istio_out();
  Stage stage("istio-grant", granting("ConfigMap/other"), install_wish());
  Audit audit("home");
  const auto refused = [&](const std::string& why) {
    const CommandResult run = run_kubist(stage.reconcile());
    CHECK_MESSAGE(run.exit_code != 0, run.out, run.err);
    CHECK_MESSAGE(reason(stage.cluster(), "Stalled") == why, run.out, run.err);
    CHECK(condition(stage.cluster(), "Stalled") == "True");
    CHECK(condition(stage.cluster(), "IstioReady") == "False");
    stage.check_others_go_on();
  };
  refused("IstioInstallNotGranted");
  must(kubectl("home", {"patch", "kproj", stage.project(), "--type=merge", "-p",
                        Json{{"spec", granting("ConfigMap/istio")}}.dump()}));
  refused("IstioSourceNotFound");
  stage.make_source();
  stage.change_istio({{"version", "1.32.0"}});
  refused("IstioSourceInvalid");
  no_write_of_istio(audit, stage.user());
  CHECK(verdict() == "absent");
}

TEST_CASE("spec.istio: installed where it is missing, also after a kill; then without a write") {
  take_istio_out();
  Stage stage("istio-cluster", granting("ConfigMap/istio"), install_wish());
  stage.make_source();
  {
    const Background run(stage.reconcile());
    CHECK(eventually([] { return exists("deployment", "istiod", k_system); }, 120));
    run.signal(SIGKILL);
  }
  CHECK(!exists("configmap", "kubist-install", k_system));
  const CommandResult next = run_kubist(stage.reconcile());
  REQUIRE_MESSAGE(next.exit_code == 0, next.out, next.err);
  CHECK(condition(stage.cluster(), "IstioReady") == "True");
  CHECK(condition(stage.cluster(), "Ready") == "True");
  CHECK((*stage.cluster())["status"]["istio"]["version"] == "1.31.0");
  CHECK((*get("home", "configmap", "kubist-install", k_system))["data"]["version"] == "1.31.0");
  CHECK(verdict() == "healthy");
  stage.check_others_go_on();

  Audit quiet("home");
  const CommandResult again = run_kubist(stage.reconcile());
  CHECK_MESSAGE(again.exit_code == 0, again.out, again.err);
  const auto writes = quiet.writes(stage.user());
  CHECK_MESSAGE(writes.empty(), (writes.empty() ? "" : writes.front().to_string()));
  const auto with_install = lists(quiet, stage.user());
  stage.change_istio({{"mode", "Check"}});
  must(run_kubist(stage.reconcile()));
  Audit check("home");
  must(run_kubist(stage.reconcile()));
  CHECK(with_install == lists(check, stage.user()));

  // What is there already of that version was installed by somebody else: that will do.
  stage.change_istio({{"mode", "Install"}});
  must(kubectl("home", {"delete", "clusterrole", "istiod-clusterrole-istio-system"}));
  must(run_kubist(stage.reconcile()));
  CHECK(exists("clusterrole", "istiod-clusterrole-istio-system"));
  CHECK(verdict() == "healthy");
}

TEST_CASE("spec.istio: rendered by a Job on the cluster, where the Project grants the image") {
  take_istio_out();
  cluster_istio("istioctl");
  const Json args = Json::array({"manifest", "generate", "--set", "profile=minimal"});
  Stage stage("istio-render", granting("Image/docker.io/istio/istioctl:*"),
              {{"mode", "Install"},
               {"version", "1.31.0"},
               {"source", {{"render", {{"image", k_istioctl}, {"args", args}}}}}});
  CHECK(run_kubist(stage.reconcile()).exit_code != 0);
  CHECK(reason(stage.cluster(), "Stalled") == "IstioInstallNotGranted");
  must(kubectl(
      "home",
      {"patch", "kproj", stage.project(), "--type=merge", "-p",
       Json{{"spec", granting(cat("Image/", k_istioctl, " manifest generate *"))}}.dump()}));
  Audit audit("home");
  Words dry = stage.reconcile();
  dry.emplace_back("--dry-run=client");
  must(run_kubist(dry));
  CHECK(audit.writes(stage.user()).empty());
  must(run_kubist(stage.reconcile()));
  CHECK(condition(stage.cluster(), "IstioReady") == "True");
  CHECK((*stage.cluster())["status"]["istio"]["version"] == "1.31.0");
  CHECK(exists("configmap", "kubist-install", k_system));
  stage.check_others_go_on();
  const auto jobs = [&] {
    std::string verbs;
    for (const AuditedWrite& write : audit.writes(stage.user())) {
      verbs += write.resource == "jobs" ? write.verb + ' ' : "";
    }
    return verbs;
  };
  CHECK(jobs() == "create delete ");
  must(run_kubist(stage.reconcile()));
  CHECK(jobs() == "create delete ");
}

TEST_CASE("spec.istio: while Istio does not work, routes wait and everything else goes on") {
  must(run_kubist(install()));
  Stage stage("istio-gate", Json::object(), {{"mode", "Require"}});
  const auto on_dev = [&](const char* kind, Json spec) {
    spec["virtualClusterRef"] = {{"name", "dev"}};
    return object(kind, stage.project(), "web", spec);
  };
  const Json weight{{"destination", "web"}, {"version", "v1"}, {"weight", 1}};
  const std::vector<Json> traffic{
      on_dev("Destination", {{"ports", Json::array({{{"port", 80}, {"targetPort", 8080}}})},
                             {"subsets", {{"v1", {{"labels", {{"version", "v1"}}}}}}}}),
      on_dev("TrafficRoute", {{"hosts", Json::array({"gate.example.com"})},
                              {"routes", Json::array({{{"weights", Json::array({weight})}}})}})};
  must(kubectl("home", {"-n", k_system, "scale", "deployment/istiod", "--replicas=0"}));
  REQUIRE(eventually([] { return verdict() == "unhealthy"; }, 120));
  put("home", traffic);
  // Each is looked at twice, 15 s apart, and the route only when the destination is done.
  const CommandResult gated = run_kubist(stage.reconcile("28s"));
  CHECK_MESSAGE(gated.exit_code == 3, gated.out, gated.err);
  CHECK(reason(stage.cluster(), "Ready") == "IstioNotReady");
  CHECK(condition(stage.cluster(), "IstioReady") == "False");
  stage.check_others_go_on();
  for (const char* type : {"kroute", "kdest"}) {
    CHECK_MESSAGE(reason(stage.node(type, "web"), "Ready") == "IstioNotReady",
                  message(stage.node(type, "web"), "Ready"));
  }
  CHECK(!exists("virtualservice", "web", stage.ns()));
  CHECK(!exists("destinationrule", "web", stage.ns()));

  must(kubectl("home", {"-n", k_system, "scale", "deployment/istiod", "--replicas=1"}));
  REQUIRE(eventually([] { return verdict() == "healthy"; }, 120));
  run_kubist(stage.reconcile("30s"));  // the route goes on to wait for pods
  CHECK(condition(stage.cluster(), "Ready") == "True");
  CHECK(exists("destinationrule", "web", stage.ns()));
  CHECK(reason(stage.node("kroute", "web"), "Ready") != "IstioNotReady");
}
