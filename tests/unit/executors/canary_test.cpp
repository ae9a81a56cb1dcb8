// A CanaryRelease over the routes of a cluster in memory: states, requests, and what is never lost.
#include "release_site.hpp"

using namespace site;

namespace {

/// A route that sends all to v1, and a release of v2.
struct CanarySite : Shop {
  explicit CanarySite(const std::string& more = k_stay) {
    route("web");
    settle();
    original = routed();
    REQUIRE(original.find("v1") != std::string::npos);
    apply("CanaryRelease", "web",
          cat("{destination: web, stable: v1, canary: v2, routes: [web], ", more, "}"));
  }
  void lose_statuses() {
    for (const char* plural : {"canaryreleases.kubist.io", "trafficroutes.kubist.io"}) {
      home->patch(plural, "web", "shop", kube::PatchType::merge, {{"status", nullptr}}, "status");
    }
  }
  /// As `kubist reconcile --timeout 10s`.
  engine::Report run_to_its_end() {
    executors::ReconcileOptions options;
    options.settle = std::chrono::seconds(10);
    engine::Observer observer;
    const auto run = session->run(options, observer, {});
    REQUIRE(run);
    return run->report;
  }
  std::string original;
};

constexpr const char* k_by_the_clock =
    "interval: 1s, bake: 1s, weights: [20, 50], policies: [{name: Timed, parameters: {step: 1s}}]";

}  // namespace

TEST_CASE(
    "canary: by the clock a version gets all the traffic, and keeps it until the spec is changed") {
  CanarySite s(k_by_the_clock);
  CHECK(s.until("Succeeded") == "Succeeded");
  CHECK(s.weights() == "web v1 0 %, web v2 100 %");
  std::vector<int> steps;
  const Json release = s.release();
  for (const Json& entry : release["status"]["history"]) {
    const int weight = entry.value("weight", 0);
    if (weight > 0 && (steps.empty() || steps.back() != weight)) {
      steps.push_back(weight);
    }
  }
  CHECK(Json(steps) == Json{20, 50, 100});
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);
  s.apply("TrafficRoute", "web",
          "{hosts: [web.example.com], routes: [{weights: [{destination: web, version: v2}]}]}");
  s.settle();
  CHECK(s.weights() == "web v2 100 %");
  CHECK_FALSE(s.get("trafficroutes", "shop", "web")["status"].contains("override"));
}

TEST_CASE("canary: a status that a later look of the run could write is no error of it") {
  CanarySite s(k_by_the_clock);
  SUBCASE("one look could not write it") {
    s.until("Waiting");
    s.home->fail("PATCH *canaryreleases/web/status*", 403);
    const auto report = s.run_to_its_end();
    CHECK(s.state() == "Succeeded");
    CHECK(report.status_errors().empty());
  }
  SUBCASE("no look could write it") {
    s.home->fail("PATCH *canaryreleases/web/status*", 403, 100);
    CHECK(s.run_to_its_end().status_errors().size() == 1);
  }
}

TEST_CASE("canary: steps that analyse nothing ask the gateways for no counters") {
  const auto asked = [](const std::string& step) {
    Shop s;
    s.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: [web.example.com]}]}");
    s.route("web", "gateways: [entry], ");
    s.settle();
    s.apply("CanaryRelease", "web",
            cat("{destination: web, stable: v1, canary: v2, routes: [web], interval: 1s, policies: "
                "[{name: Steps, parameters: {steps: [{setWeight: 20}, ",
                step, "]}}]}"));
    REQUIRE(s.until("Waiting") == "Waiting");
    s.forget();
    s.look();
    const auto log = s.home->log();
    return std::count_if(log.begin(), log.end(), [](const LoggedRequest& each) {
      return each.resource == "pods" && each.target.find("ingressgateway") != std::string::npos;
    });
  };
  CHECK(asked("{pause: {duration: 1h}}") == 0);
  CHECK(asked("{analysis: {metrics: [{name: up, value: canary.replicas, thresholdRange: {min: "
              "1}}]}}") > 0);
}

TEST_CASE("canary: an abort gives the routes their own weights back, to the byte") {
  CanarySite s;
  CHECK(s.until("Waiting") == "Waiting");
  CHECK(s.weights() == "web v1 80 %, web v2 20 %");
  CHECK(s.routed() != s.original);
  s.ask("abort");
  CHECK(s.until("Aborted") == "Aborted");
  CHECK(s.routed() == s.original);
  CHECK_FALSE(
      s.live("virtualservices.networking.istio.io", "web")["metadata"]["annotations"].contains(
          "kubist.io/override"));
  s.forget();
  s.look();
  CHECK(s.written().empty());
}

TEST_CASE("canary: after an abort a retry begins again as the next attempt") {
  CanarySite s;
  s.until("Waiting");
  s.ask("abort");
  s.until("Aborted");
  s.ask("retry");
  CHECK(s.until("Waiting") == "Waiting");
  CHECK(s.release()["status"]["attempt"] == 2);
  CHECK(s.weights() == "web v1 80 %, web v2 20 %");
}

TEST_CASE("canary: what means nothing is refused, and changes nothing") {
  CanarySite s;
  s.until("Waiting");
  const Json before = s.release();
  CHECK(s.ask("resume") == "Refused");
  CHECK(s.state() == "Waiting");
  CHECK(s.weights() == "web v1 80 %, web v2 20 %");
  CHECK(s.ask("dance") == "Refused");
}

TEST_CASE("canary: a paused release stays where it is and writes nothing") {
  CanarySite s;
  s.until("Waiting");
  s.ask("pause");
  CHECK(s.state() == "Paused");
  s.look();
  const Json before = s.release();
  s.forget();
  for (int looks = 0; looks < 3; ++looks) {
    s.look();
  }
  CHECK_MESSAGE(s.writes() == 0, util::join(s.written(), "\n"),
                Json::diff(before, s.release()).dump());
  s.ask("resume");
  CHECK(s.until("Waiting") == "Waiting");
}

TEST_CASE("canary: an edited route pauses it") {
  CanarySite s;
  s.until("Waiting");
  s.apply("TrafficRoute", "web",
          "{hosts: [web.example.com], routes: [{timeout: 3s, weights: [{destination: web, version: "
          "v1}]}]}");
  CHECK(s.until("Paused") == "Paused");
  CHECK(s.why() == "RouteChanged");
  s.ask("resume");
  CHECK(s.until("Waiting") == "Waiting");
}

TEST_CASE("canary: an edit that its policies do not agree to reaches no route") {
  CanarySite s;
  s.until("Waiting");
  const std::string agreed = s.routed();
  const auto edit = [&](const std::string& policies) {
    s.apply("CanaryRelease", "web",
            cat("{destination: web, stable: v1, canary: v2, routes: [web], mirror: {percent: 30}, "
                "interval: 1h, bake: 0s, weights: [20, 50], policies: [",
                policies, "]}"));
    s.look();
    s.look();
  };
  edit("{name: nowhere}");
  CHECK(s.routed() == agreed);
  edit("{name: Timed, parameters: {step: 1h}}");
  CHECK(s.routed() != agreed);
  edit("{name: nowhere}");
  s.ask("abort");
  CHECK(s.until("Aborted") == "Aborted");
  CHECK(s.routed() == s.original);
}

TEST_CASE("canary: a promotion gives the next weight, a full one all of it") {
  CanarySite s;
  s.until("Waiting");
  s.ask("promote");
  for (int looks = 0; looks < 4; ++looks) {
    s.look();
  }
  CHECK(s.weights() == "web v1 50 %, web v2 50 %");
  s.ask("promote-full");
  CHECK(s.until("Succeeded") == "Succeeded");
  CHECK(s.weights() == "web v1 0 %, web v2 100 %");
}

TEST_CASE("canary: without ready pods none begins") {
  CanarySite s;
  s.set_ready("web-v2", false);
  s.look();
  CHECK(s.state() == "Pending");
  CHECK(s.why() == "TargetNotReady");
  CHECK(s.routed() == s.original);
  s.set_ready("web-v2", true);
  CHECK(s.until("Waiting") == "Waiting");
}

TEST_CASE("canary: pods that are not ready any more take it back") {
  CanarySite s(
      "interval: 1h, weights: [20, 50], policies: [{name: Health, parameters: {failureThreshold: "
      "2, step: 1h}}]");
  s.until("Waiting");
  s.set_ready("web-v2", false);
  s.look();
  CHECK(s.state() == "Waiting");  // once is not enough
  CHECK(s.until("RolledBack", "web", std::chrono::hours(1)) == "RolledBack");
  CHECK(s.why() == "Unhealthy");
  CHECK(s.routed() == s.original);
}

TEST_CASE("canary: an unknown version is said, and nothing is written") {
  CanarySite s;
  s.apply("CanaryRelease", "web", "{destination: web, stable: v1, canary: v9, routes: [web]}");
  const auto report = s.look();
  CHECK(report.summary.failed == 1);
  CHECK(reason(s.release()) == "UnknownSubset");
  CHECK(s.state().empty());
  CHECK(s.routed() == s.original);
}

TEST_CASE("canary: an unknown destination is said") {
  CanarySite s;
  s.apply("CanaryRelease", "web", "{destination: none, stable: v1, canary: v2, routes: [web]}");
  s.look();
  CHECK(reason(s.release()) == "UnknownDestination");
  CHECK(s.routed() == s.original);
}

TEST_CASE("canary: a route that does not send to the stable version is left alone") {
  CanarySite s;
  s.apply("CanaryRelease", "web",
          "{destination: web, stable: v2, canary: v1, routes: [web], policies: [{name: Timed}]}");
  for (int looks = 0; looks < 3; ++looks) {
    s.look();
  }
  CHECK(reason(s.get("trafficroutes", "shop", "web")) == "StableNotRouted");
  CHECK(s.routed() == s.original);
}

TEST_CASE("canary: statuses that are lost cost no weights; a person says how it goes on") {
  CanarySite s;
  s.until("Waiting");
  const std::string moved = s.routed();
  s.lose_statuses();
  CHECK(s.until("Paused") == "Paused");
  CHECK(s.why() == "StatusLost");
  CHECK(s.weights() == "web v1 80 %, web v2 20 %");
  CHECK(s.routed() == moved);
  s.ask("promote-full");
  CHECK(s.until("Succeeded") == "Succeeded");
  const std::string promoted = s.routed();
  s.lose_statuses();
  CHECK(s.until("Paused") == "Paused");
  CHECK(s.routed() == promoted);
  s.ask("abort");
  CHECK(s.until("Aborted") == "Aborted");
  CHECK(s.routed() == s.original);
}

TEST_CASE("canary: a deleted release lets go of the weights") {
  CanarySite s;
  s.until("Waiting");
  CHECK(s.routed() != s.original);
  s.home->remove("canaryreleases.kubist.io", "web", "shop");
  s.settle();
  s.settle();
  CHECK(s.release().is_null());
  CHECK(s.routed() == s.original);
}

TEST_CASE("canary: a step waits for a yes of this target, and writes nothing while it waits") {
  CanarySite s(
      "interval: 1h, weights: [20, 50], policies: [{name: Approval, parameters: {before: [50]}}]");
  for (int looks = 0; looks < 6 && s.why() != "ApprovalNeeded"; ++looks) {
    s.look();
  }
  REQUIRE(s.why() == "ApprovalNeeded");
  CHECK(s.weights() == "web v1 80 %, web v2 20 %");
  s.put("Approval", "shop", "stale", {{"release", "web"}, {"target", "v2/other"}, {"weight", 50}});
  s.look();
  s.forget();
  s.look();
  s.look();
  CHECK(s.written().empty());
  s.put("Approval", "shop", "yes",
        {{"release", "web"}, {"target", s.release()["status"]["target"]}, {"weight", 50}});
  for (int looks = 0; looks < 4; ++looks) {
    s.look("web", std::chrono::hours(1));
  }
  CHECK(s.weights() != "web v1 80 %, web v2 20 %");
}

TEST_CASE("canary: an abort goes on after any write that is lost") {
  for (int lost = 1; lost <= 6; ++lost) {
    CAPTURE(lost);
    CanarySite s;
    s.until("Waiting");
    s.home->before(
        "P* *", [] {}, lost);
    s.home->lose("P* *");
    s.home->patch("canaryreleases.kubist.io", "web", "shop", kube::PatchType::merge,
                  Json::object());
    s.ask("abort");
    s.open();  // another process goes on
    CHECK(s.until("Aborted") == "Aborted");
    CHECK(s.routed() == s.original);
  }
}

TEST_CASE("canary: one that stands without a reason in its status says so") {
  for (const char* state : {"Failed", "Aborted", "RolledBack"}) {
    CAPTURE(state);
    CanarySite s;
    CHECK(s.until("Waiting") == "Waiting");
    s.home->patch("canaryreleases.kubist.io", "web", "shop", kube::PatchType::merge,
                  {{"status", {{"state", state}, {"reason", nullptr}, {"message", nullptr}}}},
                  "status");
    const auto report = s.look();
    CHECK(node_of(report, "CanaryRelease", "web").message ==
          "neither a policy nor its status says why");
    CHECK(message(s.release()) == "neither a policy nor its status says why");
  }
}
