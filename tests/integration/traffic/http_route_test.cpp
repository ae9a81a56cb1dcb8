// Mode HTTPRoute with the Gateway API's own CRDs, and istiod as the controller that accepts it.
#include "backend.hpp"
#include "stage.hpp"
#include "support/paths.hpp"

using namespace traffic_test;

namespace {

const char* const k_http_route = "httproutes.gateway.networking.k8s.io";

/// The CRDs as the Go module has them that istiod is built from; gone again at the end.
class GatewayApi {
 public:
  GatewayApi() {
    const auto printed = run_command(
        {kubist::paths::source_dir() + "/tests/cluster/cluster", "istio", "gateway-api"});
    REQUIRE_MESSAGE(printed.exit_code == 0, printed.err);
    const std::string folder(kubist::util::trim(printed.out));
    for (const char* kind : {"gatewayclasses", "gateways", "httproutes", "referencegrants"}) {
      m_files.emplace_back("-f");
      m_files.push_back(cat(folder, "/gateway.networking.k8s.io_", kind, ".yaml"));
    }
    must(kubectl("home", with_files({"apply", "--server-side"})));
    must(kubectl("home", with_files({"wait", "--for=condition=Established", "--timeout=120s"})));
  }
  ~GatewayApi() { (void)kubectl("home", with_files({"delete", "--wait=false"})); }
  GatewayApi(const GatewayApi&) = delete;
  GatewayApi& operator=(const GatewayApi&) = delete;

 private:
  Words with_files(Words args) const {
    args.insert(args.end(), m_files.begin(), m_files.end());
    return args;
  }
  Words m_files;
};

std::string shop(int first, const std::string& more = "") {
  return cat(
      "{mode: HTTPRoute, hosts: [web], routes: [{weights: [{destination: web, version: v1, "
      "weight: ",
      first, "}, {destination: web, version: v2, weight: ", 100 - first, "}]", more, "}]}");
}

/// "Service: web-v1 80 web-v2 20 ": the parent's kind, and the backends.
std::string backends(Stage& stage) {
  std::string text;
  const Json spec = (*stage.live(k_http_route, "web"))["spec"];
  for (const Json& each : spec["rules"][0]["backendRefs"]) {
    text += cat(each["name"].get<std::string>(), ' ', each["weight"].get<int>(), ' ');
  }
  return cat(spec["parentRefs"][0]["kind"].get<std::string>(), ": ", text);
}

/// A release moves its weights and takes them back; cookies it cannot set there.
void check_release(Stage& stage) {
  const auto release = [&](const std::string& more) {
    stage.apply("CanaryRelease", "web",
                cat("{destination: web, stable: v1, canary: v2, routes: [web], interval: 1h, "
                    "weights: [60], policies: [{name: Timed, parameters: {step: 1h}}]",
                    more, "}"));
    static_cast<void>(stage.reconcile("20s"));
    return (*stage.node("canaryreleases", "web"))["status"];
  };
  const std::string original = backends(stage);
  const Json sticky = release(", sessionAffinity: {cookieName: stay, maxAge: 3600}");
  CHECK(sticky["state"] == "Pending");
  CHECK_MESSAGE(
      sticky["message"].get<std::string>().find("it is an HTTPRoute") != std::string::npos,
      sticky.dump());
  CHECK(backends(stage) == original);
  CHECK(eventually([&] { return release("")["state"] == "Waiting"; }, 60));
  CHECK(backends(stage) == "Service: web-v1 40 web-v2 60 ");
  const CommandResult aborted = run_kubist(stage.world().as_user(
      {"canary", "abort", "web", "-n", stage.project(), "--wait", "--timeout=60s"}));
  CHECK_MESSAGE(aborted.exit_code == 4, aborted.out, aborted.err);
  CHECK(backends(stage) == original);
  must(kubectl("home", {"delete", "canaryreleases", "web", "-n", stage.project()}));
}

}  // namespace

TEST_CASE(
    "traffic: in mode HTTPRoute there is a Service for each subset, and istiod takes the route") {
  const GatewayApi crds;
  Stage stage("httproute");
  must(run_kubist({"reconcile", "Project/" + stage.project()}));
  stage.ready_pod("web-1", {{"app", "web"}, {"version", "v1"}});
  stage.ready_pod("web-2", {{"app", "web"}, {"version", "v2"}});
  const std::string destination = k_destination;
  stage.apply("Destination", "web", cat("{mode: Services, ", destination.substr(1)));
  stage.apply("TrafficRoute", "web", shop(80));
  const CommandResult run = stage.reconcile();
  REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err);
  const auto route = stage.node("trafficroutes", "web");
  CHECK(text_of(route, {"status", "mode"}) == "HTTPRoute");
  CHECK(text_of(route, {"status", "weights"}) == "web v1 80 %, web v2 20 %");
  CHECK_MESSAGE(condition(route, "Accepted") == "True", message(route, "Accepted"));
  for (const auto& [name, version] : {std::pair{"web-v1", "v1"}, std::pair{"web-v2", "v2"}}) {
    const auto service = stage.live("service", name);
    REQUIRE(service);
    CHECK((*service)["spec"]["selector"] == Json{{"app", "web"}, {"version", version}});
  }
  CHECK(stage.live("service", "web"));
  CHECK_FALSE(stage.live("virtualservices.networking.istio.io", "web"));
  CHECK_FALSE(stage.live("destinationrules.networking.istio.io", "web"));
  CHECK(backends(stage) == "Service: web-v1 80 web-v2 20 ");

  const auto settled = stage.node("trafficroutes", "web");
  Audit quiet("home");
  must(stage.reconcile());
  CHECK((*settled)["status"] == (*stage.node("trafficroutes", "web"))["status"]);
  CHECK(written(quiet, stage) == "");

  stage.apply("TrafficRoute", "web", shop(30));
  must(stage.reconcile());
  CHECK(backends(stage) == "Service: web-v1 30 web-v2 70 ");
  stage.apply("TrafficRoute", "web", shop(100));
  must(stage.reconcile());
  check_release(stage);
  stage.apply("TrafficRoute", "web", shop(30));
  must(stage.reconcile());
  stage.apply("TrafficRoute", "web", shop(60, ", retries: {attempts: 2}"));
  CHECK(stage.reconcile().exit_code != 0);
  CHECK_MESSAGE(
      message(stage.node("trafficroutes", "web"), "Ready").find("retries") != std::string::npos,
      message(stage.node("trafficroutes", "web"), "Ready"));
  CHECK(backends(stage) == "Service: web-v1 30 web-v2 70 ");

  must(kubectl("home", {"delete", "kroute,kdest", "--all", "-n", stage.project(), "--wait=false"}));
  must(stage.reconcile());
  CHECK_FALSE(stage.live(k_http_route, "web"));
  for (const char* name : {"web", "web-v1", "web-v2"}) {
    CHECK_FALSE(stage.live("service", name));
  }
}
