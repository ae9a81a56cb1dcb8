// Real requests through the real gateway: shares, and weights that move under load.
#include <atomic>
#include <cmath>
#include <map>
#include <thread>

#include "backend.hpp"
#include "stage.hpp"

using namespace traffic_test;

namespace {

std::string own_route(Stage& stage, int first, int second) {
  return kubist::util::replace_all(route_spec(first, second), "shop.example.com", host_of(stage));
}

/// Two versions behind the gateway, 80 to 20.
void set_up_gateway(Stage& stage) {
  stage.reconcile();
  put("home", {backend(stage.ns(), "v1"), backend(stage.ns(), "v2")});
  stage.apply("Destination", "web", k_destination);
  stage.apply("EntryGateway", "entry",
              cat("{servers: [{port: 80, hosts: [", host_of(stage), "]}]}"));
  stage.apply("TrafficRoute", "web", own_route(stage, 80, 20));
  must(stage.reconcile("300s"));  // the route waits for the pods
}

/// `count` requests over one connection after the other; the answers by their bodies, and what was
/// no answer of a backend by its status.
std::map<std::string, int> ask(Stage& stage, const std::string& gateway, int count) {
  const CommandResult all =
      run_command({"curl", "-s", "-H", cat("Host: ", host_of(stage)), "-w", " %{http_code}\\n",
                   cat("http://", gateway, "/?[1-", count, "]")});
  std::map<std::string, int> answers;
  for (const std::string& line : kubist::util::split(all.out, '\n')) {
    if (!line.empty()) {
      ++answers[line];
    }
  }
  return answers;
}

}  // namespace

TEST_CASE("gateway: 80 to 20 splits 1,000 requests as a binomial distribution does") {
  Stage stage("split");
  set_up_gateway(stage);
  const std::string gateway = gateway_address(stage);
  REQUIRE(eventually(
      [&] { return ask(stage, gateway, 1)["v1 200"] + ask(stage, gateway, 1)["v2 200"] > 0; },
      120));
  const auto answers = ask(stage, gateway, 1000);
  const auto count = [&](const char* which) {
    const auto found = answers.find(which);
    return found == answers.end() ? 0 : found->second;
  };
  CHECK(count("v1 200") + count("v2 200") == 1000);
  const double margin = k_deviations * std::sqrt(1000 * 0.2 * 0.8);
  CHECK(std::abs(count("v2 200") - 200) <= margin);
  MESSAGE("v2 got " << count("v2 200") << " of 1000");
}

TEST_CASE("gateway: weights that change 15 times under load lose no request") {
  constexpr int k_changes = 15;
  Stage stage("load");
  set_up_gateway(stage);
  const std::string gateway = gateway_address(stage);
  REQUIRE(eventually(
      [&] { return ask(stage, gateway, 1)["v1 200"] + ask(stage, gateway, 1)["v2 200"] > 0; },
      120));
  std::atomic<bool> changed = false;
  int requests = 0;
  int bad = 0;
  std::string trouble;
  std::thread load([&] {
    while (!changed || requests < 20'000) {
      const CommandResult result =
          run_command({"h2load", "--h1", "-n", "2000", "-c", "8", "-t", "1",
                       cat("--connect-to=", gateway, ":80"), cat("http://", host_of(stage), "/")});
      int done = 0;
      int good = 0;
      for (const std::string& line : kubist::util::split(result.out, '\n')) {
        // "requests: 2000 total, 2000 started, 2000 done, ..."; "status codes: 2000 2xx, 0 3xx,
        // ..."
        if (line.starts_with("requests: ")) {
          done = std::atoi(line.c_str() + 10);
        } else if (line.starts_with("status codes: ")) {
          good = std::atoi(line.c_str() + 14);
        }
      }
      requests += done;
      bad += done - good;
      if (trouble.empty() && (done == 0 || done != good)) {
        trouble = result.out + result.err;
      }
      if (done == 0) {
        break;
      }
    }
  });
  for (int change = 1; change <= k_changes; ++change) {
    const int first = 100 - 100 * change / k_changes;
    stage.apply("TrafficRoute", "web", own_route(stage, first, 100 - first));
    const CommandResult run = run_kubist(stage.world().as_user(
        {"reconcile", "TrafficRoute/web", "-n", stage.project(), "--timeout=120s"}));
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  }
  changed = true;
  load.join();
  CHECK_MESSAGE(bad == 0, trouble);
  CHECK(requests >= 20'000);
  MESSAGE(requests << " requests, " << bad << " of them lost");
  CHECK(text_of(stage.node("trafficroutes", "web"), {"status", "weights"}) ==
        "web v1 0 %, web v2 100 %");
}
