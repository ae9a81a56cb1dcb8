// spec.istio of a Cluster on the real istiod: what is installed, what is not, and who waits for it.
#include <csignal>

#include "stage.hpp"

using namespace istio_it;

namespace {

Json install_wish(const std::string& version = "1.31.0") {
  return {{"mode", "Install"},
          {"version", version},
          {"source", {{"configMapRef", {{"name", "istio"}, {"key", "istio.tar.gz"}}}}}};
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
  const auto writes = audit.writes(user);
  CHECK(writes.size() > 3);  // finalizers and statuses
  for (const AuditedWrite& write : writes) {
    const bool own = write.resource == "clusters" || write.resource == "projects" ||
                     write.resource == "virtualclusters" || write.resource == "deployitems" ||
                     write.resource == "leases" || write.resource == "namespaces" ||
                     write.resource == "secrets" || write.resource == "rolebindings" ||
                     write.resource == "events";
    CHECK_MESSAGE(own, write.to_string());
    CHECK_MESSAGE(write.name != k_system, write.to_string());
  }
}

}  // namespace

TEST_CASE("spec.istio: nothing is installed that the Project does not grant or the source lacks") {
  ensure_absent();
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
  ensure_absent();
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
  CHECK(with_install.size() > 3);
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

  Words watching = stage.reconcile();
  watching.emplace_back("--watch");
  Background watch(watching);
  REQUIRE(eventually([&] { return watch.output().find("Project/") != std::string::npos; }));
  must(kubectl("home", {"-n", k_system, "delete", "deployment", "istiod"}));
  CHECK_MESSAGE(eventually([] { return exists("deployment", "istiod", k_system); }, 60),
                watch.output());
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
  CHECK(eventually([] { return verdict() == "healthy"; }, 120));
}

TEST_CASE("spec.istio: while Istio does not work, routes wait and everything else goes on" *
          doctest::description("seed 1.2: the clusters' executor verifies Istio")) {
  ensure_installed();
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
  // Shorter than the 15 s until the next look, so nothing is waited for.
  const CommandResult gated = run_kubist(stage.reconcile("14s"));
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
  const Background run(stage.reconcile());  // the route goes on to wait for pods
  CHECK(eventually([&] { return reason(stage.node("kroute", "web"), "Ready") != "IstioNotReady"; },
                   120));
  CHECK(condition(stage.cluster(), "Ready") == "True");
  CHECK(exists("destinationrule", "web", stage.ns()));
}
