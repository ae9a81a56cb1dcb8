// A CanaryRelease by the default policy, Statistical, on real requests through the real gateway.
#include <atomic>
#include <thread>

#include "backend.hpp"

using namespace traffic_test;

namespace {

/// Requests to the stage's host, one after the other in batches, until it goes.
class Load {
 public:
  explicit Load(Stage& stage)
      : m_words{"h2load",
                "--h1",
                "-n",
                "400",
                "-c",
                "4",
                "-t",
                "1",
                cat("--connect-to=", gateway_address(stage), ":80"),
                cat("http://", host_of(stage), "/")} {
    m_thread = std::thread([this] {
      while (!m_over) {
        count(run_command(m_words));
      }
    });
  }
  ~Load() { stop(); }
  void stop() {
    m_over = true;
    if (m_thread.joinable()) {
      m_thread.join();
    }
  }
  int total = 0, server_errors = 0, lost = 0;  ///< after stop()

 private:
  void count(const CommandResult& result) {
    for (const std::string& line : kubist::util::split(result.out, '\n')) {
      int done = 0, ok = 0, moved = 0, client = 0, server = 0;
      if (std::sscanf(line.c_str(), "status codes: %d 2xx, %d 3xx, %d 4xx, %d 5xx", &ok, &moved,
                      &client, &server) == 4) {
        server_errors += server;
        lost += client + moved;
      } else if (std::sscanf(line.c_str(), "requests: %d total", &done) == 1) {
        total += done;
      }
    }
  }
  Words m_words;
  std::atomic<bool> m_over = false;
  std::thread m_thread;
};

/// All to v1 behind the gateway; v2 answers this share of its requests with 500.
void set_up(Stage& stage, int percent_bad) {
  stage.reconcile();
  put("home", {backend(stage.ns(), "v1"), backend(stage.ns(), "v2", percent_bad)});
  stage.apply("Destination", "web", k_destination);
  stage.apply("EntryGateway", "entry",
              cat("{servers: [{port: 80, hosts: [", host_of(stage), "]}]}"));
  stage.apply("TrafficRoute", "web",
              cat("{hosts: [", host_of(stage),
                  "], gateways: [entry], routes: [{weights: "
                  "[{destination: web, version: v1}]}]}"));
  must(stage.reconcile("300s"));
  const std::string url = cat("http://", gateway_address(stage), "/");
  REQUIRE(eventually(
      [&] {
        return run_command({"curl", "-sf", "-H", cat("Host: ", host_of(stage)), url}).out == "v1";
      },
      120));
}

CommandResult release(Stage& stage, const std::string& more) {
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
  const CommandResult run = release(stage, "bake: 4s, weights: [20, 50]");
  load.stop();
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(text_of(stage.node("canaryreleases", "web"), {"status", "state"}) == "Succeeded");
  CHECK(text_of(stage.node("trafficroutes", "web"), {"status", "weights"}) ==
        "web v1 0 %, web v2 100 %");
  CHECK(load.server_errors == 0);
  CHECK(load.lost == 0);
  MESSAGE(load.total << " requests");
}

TEST_CASE("verdict: a version that fails 20 % of its requests goes back") {
  Stage stage("bad");
  set_up(stage, 20);
  Load load(stage);
  const CommandResult run = release(stage, "bake: 4s, weights: [10, 50]");
  load.stop();
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  CHECK(text_of(stage.node("canaryreleases", "web"), {"status", "state"}) == "RolledBack");
  CHECK(reason(stage) == "WorseThanStable");
  CHECK(text_of(stage.node("trafficroutes", "web"), {"status", "weights"}) == "web v1 100 %");
  CHECK(load.lost == 0);
  MESSAGE(load.server_errors << " of " << load.total << " requests failed");
}

TEST_CASE("verdict: a metric out of its range takes a version back") {
  Stage stage("range");
  set_up(stage, 20);
  Load load(stage);
  const CommandResult run = release(
      stage,
      "bake: 4s, weights: [20, 50], policies: [{name: Metric, parameters: {metrics: [{name: "
      "request-success-rate, thresholdRange: {min: 95}}], threshold: 2}}]");
  load.stop();
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  CHECK(text_of(stage.node("canaryreleases", "web"), {"status", "state"}) == "RolledBack");
  CHECK(reason(stage) == "ThresholdFailed");
  CHECK(text_of(stage.node("trafficroutes", "web"), {"status", "weights"}) == "web v1 100 %");
}

TEST_CASE("verdict: without traffic nothing is promoted, and after the limit it goes back") {
  Stage stage("idle");
  set_up(stage, 0);
  const CommandResult run = release(stage, "bake: 4s, weights: [20, 50], holdLimit: 20s");
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  CHECK(text_of(stage.node("canaryreleases", "web"), {"status", "state"}) == "RolledBack");
  CHECK(reason(stage) == "NoTraffic");
}
