// spec.istio with a version: Istio is there, and is kept so.
#include <algorithm>
#include <csignal>
#include <set>

#include <kubist/util/clock.hpp>

#include "stage.hpp"

using namespace istio_it;

namespace {

/// The version, and what the test cluster needs besides: it has images of its own, and no gateway.
const Json k_line{{"version", "1.31.0"}, {"profile", "minimal"}, {"hub", "localhost/istio"}};

std::int64_t replicas() {
  const auto istiod = get("home", "deployment", "istiod", k_system);
  return istiod ? (*istiod)["spec"].value("replicas", std::int64_t{-1}) : -1;
}

/// Ten seconds come in which its kubist writes nothing but its Lease. It may send nothing at all
/// then, so these are requests(): writes() fails where there is none.
bool comes_to_rest(const Stage& stage) {
  static const std::set<std::string, std::less<>> reads{"get", "list", "watch"};
  return eventually([&] {
    Audit audit("home");
    kubist::util::sleep_for(std::chrono::seconds(10), {});  // that nothing comes is what is shown
    const auto requests = audit.requests(stage.user());
    return std::all_of(requests.begin(), requests.end(), [](const Json& event) {
      return reads.contains(kubist::data::string_at(event, {"verb"})) ||
             event.value("requestURI", "").find("dryRun=All") != std::string::npos ||
             kubist::data::string_at(event, {"objectRef", "resource"}) == "leases";
    });
  });
}

}  // namespace

TEST_CASE("spec.istio: one line on the Project installs Istio and repairs it under --watch" *
          doctest::description("seed 1.3: and installs it, if needed")) {
  load_istioctl();
  ensure_absent();
  Stage stage("istio-line", Json::object(), Json::object());
  // A namespace is labelled for injection once somebody above wants Istio.
  const std::string asked = stage.project() + "-asked";
  put("home", {virtual_cluster(stage.project(), "asked", "home", asked)});
  must(run_kubist(stage.reconcile()));
  REQUIRE(get("home", "namespace", asked));
  CHECK(label(asked, "istio-injection").empty());
  must(kubectl("home", {"patch", "kproj", stage.project(), "--type=merge", "-p",
                        Json{{"spec", {{"istio", k_line}}}}.dump()}));
  {
    Words watching = stage.reconcile();
    watching.emplace_back("--watch");
    Audit all("home");
    Background watch(watching);
    REQUIRE_MESSAGE(eventually([] { return verdict() == "healthy"; }, 120), watch.output());
    REQUIRE_MESSAGE(
        eventually([&] { return condition(stage.cluster(), "IstioReady") == "True"; }, 60),
        watch.output());
    CHECK((*stage.cluster())["status"]["istio"]["version"] == "1.31.0");
    CHECK_MESSAGE(eventually([&] { return label(asked, "istio-injection") == "enabled"; }),
                  watch.output());

    must(kubectl("home", {"-n", k_system, "scale", "deployment/istiod", "--replicas=0"}));
    must(kubectl("home", {"delete", "mutatingwebhookconfigurations,validatingwebhookconfigurations",
                          "-l", "istio.io/rev"}));
    must(kubectl("home", {"-n", k_system, "delete", "service", "istiod"}));
    CHECK_MESSAGE(eventually([] { return replicas() == 1 && verdict() == "healthy"; }, 60),
                  watch.output());

    must(kubectl("home", {"-n", k_system, "scale", "deployment/istiod", "--replicas=0"}));
    CHECK_MESSAGE(eventually([] { return replicas() == 1 && verdict() == "healthy"; }, 60),
                  watch.output());
    CHECK_MESSAGE(comes_to_rest(stage), watch.output());
    CHECK(all.writes(stage.user()).size() > 10);  // that it was this user that came to rest
    watch.signal(SIGTERM);
    CHECK_MESSAGE(watch.wait(30) == 143, watch.output());
  }
  must(run_kubist(stage.reconcile()));
  stage.check_others_go_on();
  Audit quiet("home");
  must(run_kubist(stage.reconcile()));
  const auto writes = quiet.writes(stage.user());
  CHECK_MESSAGE(writes.empty(), (writes.empty() ? "" : writes.front().to_string()));
}

TEST_CASE(
    "spec.istio: a Cluster's own line needs the Project's grant, and leaves other installers'") {
  load_istioctl();
  ensure_absent();
  Stage stage("istio-own-line", Json::object(), k_line);
  CHECK(run_kubist(stage.reconcile()).exit_code != 0);
  CHECK(reason(stage.cluster(), "Stalled") == "IstioInstallNotGranted");
  CHECK(verdict() == "absent");
  cluster_istio("up");
  CHECK(eventually([] { return verdict() == "healthy"; }, 120));
  must(kubectl("home", {"patch", "kproj", stage.project(), "--type=merge", "-p",
                        Json{{"spec", {{"istio", k_line}}}}.dump()}));
  must(run_kubist(stage.reconcile()));
  must(kubectl("home", {"-n", k_system, "scale", "deployment/istiod", "--replicas=0"}));
  REQUIRE(eventually([] { return verdict() == "unhealthy"; }, 120));
  CHECK(run_kubist(stage.reconcile("10s")).exit_code != 0);
  CHECK(reason(stage.cluster(), "Ready") == "IstioNotReady");
  CHECK(replicas() == 0);
}
