// One release on two clusters, each with its own gateway host and its own requests: what is bad on
// one takes both back. (Far is home by another kubeconfig, in a namespace of its own.)
#include "load.hpp"

using namespace traffic_test;

namespace {

/// Objects on every virtual cluster of the project.
void spread(Stage& stage, const std::string& kind, const std::string& name,
            const std::string& spec) {
  Json full = yaml(spec);
  full["virtualClusterSelector"] = Json::object();
  put("home", {object(kind, stage.project(), name, full)});
}

std::string weights(Stage& stage, const std::string& virtual_cluster) {
  const auto route = stage.node("trafficroutes", "web");
  for (const Json& entry : (*route)["status"]["targets"]) {
    if (entry["virtualCluster"] == virtual_cluster) {
      return std::string(data::string_at(entry, {"weights"}));
    }
  }
  return "";
}

// One gateway serves both, so each cluster has a host of its own: a policy takes it from the
// settings of the virtual cluster.
const char* const k_own_host = R"(function(list)
  local host = list.functionConfig.settings.host;
  local spec = list.items[0].spec;
  list { items: [super.items[0] { spec+:
    if std.objectHas(spec, 'servers') then { servers: [spec.servers[0] { hosts: [host] }] }
    else { hosts: [host] } }] })";

class TwoHosts {
 public:
  explicit TwoHosts(const std::string& test)
      : stage(test), far(stage.world().name("far")), m_access(token()) {
    Json more{{"injection", {{"mode", "Unmanaged"}}}, {"settings", {{"host", host(far)}}}};
    Json own{{"injection", {{"mode", "Unmanaged"}}}, {"settings", {{"host", host(stage.ns())}}}};
    put("home",
        {secret(stage.project(), "far", m_access),
         object("Cluster", stage.project(), "far", {{"kubeconfigSecretRef", {{"name", "far"}}}}),
         virtual_cluster(stage.project(), "far", "far", far, more),
         virtual_cluster(stage.project(), "dev", "home", stage.ns(), own),
         object("PolicyDefinition", stage.project(), "own-host",
                {{"runtime", {{"jsonnet", {{"source", k_own_host}}}}}})});
    stage.reconcile("60s");
  }
  /// The versions on both; far's v2 answers this share of its requests with 500.
  void serve(int percent_bad_far) {
    put("home", {backend(stage.ns(), "v1"), backend(stage.ns(), "v2"), backend(far, "v1"),
                 backend(far, "v2", percent_bad_far)});
    spread(stage, "Destination", "web", k_destination);
    spread(stage, "EntryGateway", "entry",
           "{servers: [{port: 80, hosts: [none.example.com]}], policies: [{name: own-host}]}");
    spread(stage, "TrafficRoute", "web",
           "{hosts: [none.example.com], gateways: [entry], policies: [{name: own-host}], routes: "
           "[{weights: [{destination: web, version: v1}]}]}");
    must(stage.reconcile("300s"));
    for (const std::string& ns : {stage.ns(), far}) {
      await_ready(ns, {"web-v1", "web-v2"});
      REQUIRE(eventually(
          [&] {
            return run_command({"curl", "-sf", "-H", cat("Host: ", host(ns)),
                                cat("http://", gateway_address(stage), "/")})
                       .out == "v1";
          },
          120));
    }
  }
  static std::string host(const std::string& ns) { return cat(ns, ".example.com"); }

  Stage stage;
  std::string far;

 private:
  std::string token() { return stage.world().token_kubeconfig("home").first; }
  std::string m_access;
};

}  // namespace

TEST_CASE("full: verdict: of two clusters one has a bad version, and requests on both go back" *
          doctest::skip()) {
  TwoHosts two("twohosts");
  two.serve(20);
  Stage& stage = two.stage;
  Load here(stage, two.host(stage.ns()), {"-n", "400", "-c", "4"});
  Load there(stage, two.host(two.far), {"-n", "400", "-c", "4"});
  put("home", {object("CanaryRelease", stage.project(), "web",
                      yaml("{destination: web, stable: v1, canary: v2, routes: [web], interval: "
                           "2s, bake: 4s, weights: [10, 50]}"))});
  const CommandResult run = run_kubist(stage.world().as_user(
      {"reconcile", "CanaryRelease/web", "-n", stage.project(), "--timeout=140s"}));
  here.stop();
  there.stop();
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  const auto release = stage.node("canaryreleases", "web");
  CHECK(text_of(release, {"status", "state"}) == "RolledBack");
  CHECK(text_of(release, {"status", "reason"}) == "WorseThanStable");
  CHECK(weights(stage, "dev") == "web v1 100 %");
  CHECK(weights(stage, "far") == "web v1 100 %");
  CHECK(here.lost + there.lost == 0);
  CHECK(here.server_errors == 0);
  CHECK(there.server_errors > 0);
  MESSAGE(there.server_errors << " of " << here.total + there.total << " requests failed");
}
