// One release over a route that is kept on two clusters: here (home) and far (home by a kubeconfig,
// which can be taken away).
#include "stage.hpp"

using namespace traffic_test;

namespace {

class Two {
 public:
  explicit Two(const std::string& test) : stage(test), far(stage.world().name("far")) {
    kubeconfig = stage.world().token_kubeconfig("home").first;
    put("home",
        {secret(stage.project(), "far", kubeconfig),
         object("Cluster", stage.project(), "far", {{"kubeconfigSecretRef", {{"name", "far"}}}}),
         virtual_cluster(stage.project(), "far", "far", far,
                         {{"injection", {{"mode", "Unmanaged"}}}})});
    spread("Destination", k_destination);
    stage.reconcile();
    for (const std::string& ns : {stage.ns(), far}) {
      for (const char* version : {"v1", "v2"}) {
        stage.ready_pod(cat("web-", version), {{"app", "web"}, {"version", version}}, ns);
      }
    }
    spread("TrafficRoute",
           "{hosts: [shop.example.com], routes: [{weights: [{destination: web, version: v1}]}]}");
    must(stage.reconcile());
    original = {spec(stage.ns()), spec(far)};
    REQUIRE(original.second.find("v1") != std::string::npos);
  }

  /// A release that stays at each step until somebody promotes it, at its first one. With an hour
  /// between looks, one ends as soon as there is nothing left to do but wait.
  void release(const std::string& more = "") {
    put("home", {object("CanaryRelease", stage.project(), "web",
                        yaml(cat("{destination: web, stable: v1, canary: v2, routes: [web], "
                                 "interval: 1h, weights: [20, 50], policies: [{name: Health, "
                                 "parameters: {failureThreshold: 2, step: 1h}}]",
                                 more, "}")))});
    CHECK(until("Waiting") == "Waiting");
  }
  void release_together() {
    release();
    CHECK(weights("dev") == "web v1 80 %, web v2 20 %");
    CHECK(weights("far") == "web v1 80 %, web v2 20 %");
  }
  CommandResult canary(const std::string& verb) {
    return run_kubist(stage.world().as_user({"canary", verb, "web", "-n", stage.project()}));
  }

  void spread(const std::string& kind, const std::string& spec) {
    Json full = yaml(spec);
    full["virtualClusterSelector"] = Json::object();
    put("home", {object(kind, stage.project(), "web", full)});
  }
  std::string look() {
    run_kubist(stage.world().as_user(
        {"reconcile", "CanaryRelease/web", "-n", stage.project(), "--timeout=2s"}));
    return text("state");
  }
  std::string until(const std::string& wanted) {
    eventually([&] { return look() == wanted; }, 60);
    return text("state");
  }
  std::string text(const char* field) {
    return text_of(stage.node("canaryreleases", "web"), {"status", field});
  }
  std::string weights(const std::string& virtual_cluster) {
    const auto route = stage.node("trafficroutes", "web");
    for (const Json& entry : (*route)["status"]["targets"]) {
      if (entry["virtualCluster"] == virtual_cluster) {
        return std::string(data::string_at(entry, {"weights"}));
      }
    }
    return "";
  }
  static std::string spec(const std::string& ns) {
    const auto live = get("home", "virtualservices", "web", ns);
    return live ? (*live)["spec"].dump() : "";
  }

  Stage stage;
  std::string far, kubeconfig;
  std::pair<std::string, std::string> original;
};

}  // namespace

TEST_CASE("canary: two clusters are one release, and a bad version on one takes both back") {
  Two two("twobad");
  two.release_together();
  two.stage.set_ready("web-v2", false, two.far);
  CHECK(two.until("RolledBack") == "RolledBack");
  CHECK(two.text("reason") == "Unhealthy");
  CHECK(two.spec(two.stage.ns()) == two.original.first);
  CHECK(two.spec(two.far) == two.original.second);
}

TEST_CASE(
    "canary: a cluster that is gone holds the rest, which rolls back without it, until proven") {
  Two two("twogone");
  two.release_together();
  put("home", {secret(two.stage.project(), "far", small_kubeconfig("https://10.77.0.2:1").dump())});
  CHECK(two.until("RollingBack") == "RollingBack");
  CHECK(eventually([&] { return two.look(), two.spec(two.stage.ns()) == two.original.first; }, 60));
  CHECK(two.spec(two.far) != two.original.second);
  CHECK(two.look() == "RollingBack");
  CHECK_MESSAGE(two.text("message").find("TrafficRoute/web on far at 20 %") != std::string::npos,
                two.text("message"));
  put("home", {secret(two.stage.project(), "far", two.kubeconfig)});
  must(run_kubist(
      two.stage.world().as_user({"reconcile", "Cluster/far", "-n", two.stage.project()})));
  CHECK(two.until("RolledBack") == "RolledBack");
  CHECK(two.spec(two.far) == two.original.second);
}

TEST_CASE("canary: in waves a step reaches one cluster after the other, a verdict all of them") {
  Two two("waves");
  two.release(", order: waves, waves: [{virtualClusters: [far]}]");
  const auto both = [&] { return cat(two.weights("far"), "; ", two.weights("dev")); };
  CHECK(both() == "web v1 80 %, web v2 20 %; web v1 100 %");
  CHECK(two.canary("status").out.find("[20] 50 100 %, wave 1 of 2") != std::string::npos);
  must(two.canary("promote"));
  const auto becomes = [&](const std::string& wanted) {
    return eventually([&] { return two.look() == "Waiting" && both() == wanted; }, 60);
  };
  CHECK_MESSAGE(becomes("web v1 80 %, web v2 20 %; web v1 80 %, web v2 20 %"), both());
  must(two.canary("promote"));
  CHECK_MESSAGE(becomes("web v1 50 %, web v2 50 %; web v1 80 %, web v2 20 %"), both());
  two.stage.set_ready("web-v2", false);
  CHECK(two.until("RolledBack") == "RolledBack");
  CHECK(two.spec(two.stage.ns()) == two.original.first);
  CHECK(two.spec(two.far) == two.original.second);
}
