// A first step of 0 %: copies of real requests go to the canary, and what it answers to nobody.
#include <chrono>
#include <utility>

#include "load.hpp"

using namespace traffic_test;

namespace {

/// Requests that the version's pod has answered, by its own counter.
long answered_by(Stage& stage, const std::string& version) {
  const auto pod = stage.live("pods", cat("web-", version));
  const std::string url = cat("http://", text_of(pod, {"status", "podIP"}),
                              ":9901/stats?filter=http.http.downstream_rq_total");
  const std::string text = run_command({"curl", "-s", "-m", "5", url}).out;
  const auto colon = text.rfind(": ");
  return colon == std::string::npos ? -1 : std::stol(text.substr(colon + 2));
}

/// The same when no more come: a copy may be later than the answer to who asked.
long settled_at(Stage& stage, const std::string& version) {
  long count = -1;
  auto since = std::chrono::steady_clock::now();
  REQUIRE(eventually([&] {
    const auto now = std::chrono::steady_clock::now();
    const long last = std::exchange(count, answered_by(stage, version));
    since = last == count ? since : now;
    return count >= 0 && now - since >= std::chrono::seconds(1);
  }));
  return count;
}

std::string state(Stage& stage) {
  return text_of(stage.node("canaryreleases", "web"), {"status", "state"});
}

void look(Stage& stage, const std::string& timeout) {
  run_kubist(stage.world().as_user(
      {"reconcile", "CanaryRelease/web", "-n", stage.project(), "--timeout=" + timeout}));
}

void mirrored_release(Stage& stage, const std::string& mirror) {
  stage.apply("CanaryRelease", "web",
              cat("{destination: web, stable: v1, canary: v2, routes: [web], interval: 2s, "
                  "policies: [{name: Steps, parameters: {steps: [{setMirrorRoute: {name: copies, ",
                  mirror, "}}, {setWeight: 0}, {pause: {duration: 1h}}, {setWeight: 50}]}}]}"));
  REQUIRE(eventually(
      [&] {
        look(stage, "3s");
        const auto live = stage.live("virtualservices", "web");
        return live && (*live)["spec"].dump().find("mirrorPercentage") != std::string::npos;
      },
      60));
}

}  // namespace

TEST_CASE("mirror: copies go to the canary, whose failures nobody sees") {
  Stage stage("mirror");
  set_up(stage, 100);  // v2 fails all of them
  const std::string original = (*stage.live("virtualservices", "web"))["spec"].dump();
  mirrored_release(stage, "percentage: 100");
  CHECK(run_kubist(stage.world().as_user({"canary", "status", "web", "-n", stage.project()}))
            .out.find("at 0 %") != std::string::npos);
  // The gateway has it once copies come.
  const std::string url = cat("http://", gateway_address(stage), "/");
  const Words ask{"curl", "-s", "-H", cat("Host: ", host_of(stage)), url};
  REQUIRE(
      eventually([&] { return run_command(ask).out == "v1" && answered_by(stage, "v2") > 0; }, 60));
  const long before = settled_at(stage, "v2");
  Load load(stage);
  look(stage, "6s");  // its windows are 2 s
  load.stop();
  CHECK(load.total > 0);
  CHECK(load.server_errors == 0);
  CHECK(load.lost == 0);
  CHECK(eventually([&] { return answered_by(stage, "v2") - before == load.total; }, 20));
  const long copies = answered_by(stage, "v2") - before;
  MESSAGE(copies << " copies of " << load.total << " requests; measured "
                 << (*stage.node("canaryreleases", "web"))["status"]["measured"].dump());
  CHECK(state(stage) == "Waiting");
  const CommandResult aborted = run_kubist(stage.world().as_user(
      {"canary", "abort", "web", "-n", stage.project(), "--wait", "--timeout=60s"}));
  CHECK(aborted.exit_code == 4);
  CHECK((*stage.live("virtualservices", "web"))["spec"].dump() == original);
}

TEST_CASE("mirror: only of the requests that match") {
  Stage stage("mirror-match");
  set_up(stage, 0);
  mirrored_release(stage, "match: [{headers: {x-copy: {exact: 'yes'}}}]");
  const std::string url = cat("http://", gateway_address(stage), "/");
  const auto ask = [&](const std::string& header) {
    return run_command({"curl", "-s", "-H", cat("Host: ", host_of(stage)), "-H", header, url}).out;
  };
  REQUIRE(
      eventually([&] { return ask("x-copy: yes") == "v1" && answered_by(stage, "v2") > 0; }, 60));
  const long before = settled_at(stage, "v2");
  for (int i = 0; i < 20; ++i) {
    CHECK(ask("x-copy: no") == "v1");
  }
  CHECK(answered_by(stage, "v2") == before);
  for (int i = 0; i < 20; ++i) {
    CHECK(ask("x-copy: yes") == "v1");
  }
  CHECK(eventually([&] { return answered_by(stage, "v2") == before + 20; }, 20));
}
