// A CanaryRelease by the default policy, Statistical, on real requests through the real gateway.
#include <csignal>
#include <thread>

#include "load.hpp"

using namespace traffic_test;

namespace {

CommandResult judged_release(Stage& stage, const std::string& more) {
  stage.apply(
      "CanaryRelease", "web",
      cat("{destination: web, stable: v1, canary: v2, routes: [web], interval: 2s, ", more, "}"));
  return run_kubist(stage.world().as_user(
      {"reconcile", "CanaryRelease/web", "-n", stage.project(), "--timeout=240s"}));
}

std::string reason(Stage& stage) {
  return text_of(stage.node("canaryreleases", "web"), {"status", "reason"});
}

}  // namespace

TEST_CASE("verdict: a good version gets all the traffic, and no request is lost") {
  Stage stage("good");
  set_up(stage, 0);
  Load load(stage);
  const CommandResult run = judged_release(stage, "bake: 4s, weights: [20, 50]");
  load.stop();
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(text_of(stage.node("canaryreleases", "web"), {"status", "state"}) == "Succeeded");
  CHECK(text_of(stage.node("trafficroutes", "web"), {"status", "weights"}) ==
        "web v1 0 %, web v2 100 %");
  CHECK(load.server_errors == 0);
  CHECK(load.lost == 0);
  MESSAGE(load.total << " requests");
}

TEST_CASE("verdict: a version that fails 20 % of its requests rolls back" *
          doctest::description("seed 1.6: policies release canaries")) {
  Stage stage("bad");
  set_up(stage, 20);
  Load load(stage);
  const CommandResult run = judged_release(stage, "bake: 4s, weights: [10, 50]");
  load.stop();
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  CHECK(text_of(stage.node("canaryreleases", "web"), {"status", "state"}) == "RolledBack");
  CHECK(reason(stage) == "WorseThanStable");
  CHECK(text_of(stage.node("trafficroutes", "web"), {"status", "weights"}) == "web v1 100 %");
  CHECK(load.lost == 0);
  MESSAGE(load.server_errors << " of " << load.total << " requests failed");
}

TEST_CASE("verdict: a slow version, whose shift crosses a bound of the histogram, rolls back") {
  Stage stage("slow");
  set_up(stage, 0, "0.2s");
  Load load(stage);
  const CommandResult run = judged_release(
      stage,
      "bake: 4s, weights: [20, 50], policies: [{name: Statistical, parameters: {latency: {bound: "
      "100ms}}}]");
  load.stop();
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  CHECK(text_of(stage.node("canaryreleases", "web"), {"status", "state"}) == "RolledBack");
  CHECK(reason(stage) == "WorseThanStable");
  CHECK(load.server_errors == 0);  // nothing but its latency speaks against it
  CHECK(load.lost == 0);
}

TEST_CASE(
    "verdict: requests that match go to the canary whatever its weight is, until it is over") {
  Stage stage("match");
  set_up(stage, 0);
  const std::string url = cat("http://", gateway_address(stage), "/");
  const auto answered_by_canary = [&](const std::string& header) {
    int canary = 0;
    for (int i = 0; i < 20; ++i) {
      canary += run_command({"curl", "-sf", "-H", cat("Host: ", host_of(stage)), "-H", header, url})
                            .out == "v2"
                    ? 1
                    : 0;
    }
    return canary;
  };
  stage.apply(
      "CanaryRelease", "web",
      "{destination: web, stable: v1, canary: v2, routes: [web], interval: 1s, match: "
      "'cookie \"team\" exact \"qa\"', policies: [{name: Steps, parameters: {steps: "
      "[{setHeaderRoute: {name: testers, match: [{headerName: x-tester, headerValue: {exact: "
      "'yes'}}]}}, {setWeight: 1}, {pause: {}}]}}]}");
  const Words look = stage.world().as_user(
      {"reconcile", "CanaryRelease/web", "-n", stage.project(), "--timeout=300s"});
  Background run(look);
  const bool reached = eventually([&] { return answered_by_canary("x-tester: yes") == 20; }, 60);
  CHECK_MESSAGE(reached, run_kubist({"canary", "status", "web", "-n", stage.project()}).out,
                stage.live("virtualservices", "web")->at("spec").dump(1));
  CHECK(answered_by_canary("Cookie: team=qa") == 20);
  CHECK(answered_by_canary("x-tester: no") < 10);  // one percent
  must(run_kubist(stage.world().as_user({"canary", "abort", "web", "-n", stage.project()})));
  CHECK(run.wait(120) == 4);
  CHECK(eventually([&] { return answered_by_canary("x-tester: yes") == 0; }));
}

TEST_CASE("verdict: killed at any moment, no request is counted twice, and none is left out") {
  Stage stage("killed");
  set_up(stage, 0);
  stage.apply("CanaryRelease", "web",
              "{destination: web, stable: v1, canary: v2, routes: [web], interval: 1s, weights: "
              "[50], policies: [{name: Statistical, parameters: {minimumRequests: "
              "1000000}}]}");
  const Words look = stage.world().as_user(
      {"reconcile", "CanaryRelease/web", "-n", stage.project(), "--timeout=300s"});
  const auto release = [&] { return *stage.node("canaryreleases", "web"); };
  {
    Background first(look);
    REQUIRE(eventually(
        [&] {
          return data::find_path(release(), {"status", "cursor", "sample"}) != nullptr;
        },
        60));
    first.signal(SIGINT);
    CHECK(first.wait(20));
  }
  // The gateway has its weights now, and a window is open: what is asked from here on counts.
  const auto seconds = [&] {
    return release()["status"].value("measured", Json::object()).value("seconds", 0.0);
  };
  int sent = 0;
  for (int kill = 0; kill < 5; ++kill) {
    const double before = seconds();
    Background run(look);  // waits until the lock of the one before is over
    REQUIRE(eventually(
        [&] {
          sent += 50;
          must(run_command({"h2load", "--h1", "-n", "50", "-c", "2", "-t", "1",
                            cat("--connect-to=", gateway_address(stage), ":80"),
                            cat("http://", host_of(stage), "/")}));
          return seconds() > before;
        },
        60));
    std::this_thread::sleep_for(std::chrono::milliseconds(330 * kill));  // another moment each time
    run.signal(SIGKILL);
    run.wait(20);
    // The next one waits for this lock, and what is asked meanwhile counts, too: 2 s show that as
    // well as 15 s.
    it::patch("home", "leases.coordination.k8s.io", "kubist", stage.project(),
              kubist::kube::PatchType::merge, {{"spec", {{"leaseDurationSeconds", 2}}}});
  }
  const auto counted = [&] {
    double sum = 0;
    const Json measured = release()["status"].value("measured", Json::object());
    for (const Json& version : measured.value("versions", Json::array())) {
      sum += version["requests"].get<double>();
    }
    return sum;
  };
  Background last(look);
  CHECK_MESSAGE(eventually([&] { return counted() >= sent; }, 60), counted(), " of ", sent);
  const double then = seconds();
  CHECK(eventually([&] { return seconds() > then; }));  // another window, without a request
  CHECK(counted() == doctest::Approx(sent).epsilon(1e-6));
  CHECK(run_kubist({"canary", "status", "web", "-n", stage.project()}).out.find(" requests") !=
        std::string::npos);
}

TEST_CASE("verdict: a metric out of its range takes a version back") {
  Stage stage("range");
  set_up(stage, 20);
  Load load(stage);
  const CommandResult run = judged_release(
      stage,
      "bake: 4s, weights: [20, 50], policies: [{name: Metric, parameters: {metrics: [{name: "
      "request-success-rate, thresholdRange: {min: 95}}], threshold: 2}}]");
  load.stop();
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  CHECK(text_of(stage.node("canaryreleases", "web"), {"status", "state"}) == "RolledBack");
  CHECK(reason(stage) == "ThresholdFailed");
  CHECK(text_of(stage.node("trafficroutes", "web"), {"status", "weights"}) == "web v1 100 %");
}

TEST_CASE("verdict: without traffic nothing is promoted, and after the limit it rolls back") {
  Stage stage("idle");
  set_up(stage, 0);
  const CommandResult run = judged_release(stage, "bake: 4s, weights: [20, 50], holdLimit: 8s");
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  CHECK(text_of(stage.node("canaryreleases", "web"), {"status", "state"}) == "RolledBack");
  CHECK(reason(stage) == "NoTraffic");
}
