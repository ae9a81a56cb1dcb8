// The default policy against a version that fails 5 % of its requests, twenty times side by side.
// Chance decides, so the test has its slack, and prints what came out.
#include <kubist/kube/kubeconfig.hpp>
#include <kubist/metrics/gateway.hpp>

#include "load.hpp"

using namespace traffic_test;
namespace metrics = kubist::metrics;

namespace {

constexpr int k_releases = 20;
constexpr double k_rate = 80;      ///< requests per second of each
constexpr double k_interval = 2;   ///< seconds
constexpr double k_weight = 0.05;  ///< the first one
constexpr double k_most = 300 + 2 * k_interval * k_rate * k_weight;

std::string name_of(int i) { return cat("web-", i); }
std::string host_of(Stage& stage, int i) {
  return cat(name_of(i), '.', stage.ns(), ".example.com");
}

std::shared_ptr<kubist::kube::Client> connect() {
  auto access = kubist::kube::find_access({}, kubist::kube::process_environment());
  REQUIRE(access);
  auto client = kubist::kube::Client::connect(std::move(*access));
  REQUIRE(client);
  return *client;
}

/// Twenty Services of the same two pods, each with a route of its own.
void set_up_all(Stage& stage) {
  stage.reconcile();
  put("home", {backend(stage.ns(), "v1"), backend(stage.ns(), "v2", 5)});
  stage.apply("EntryGateway", "entry",
              cat("{servers: [{port: 80, hosts: ['*.", stage.ns(), ".example.com']}]}"));
  for (int i = 0; i < k_releases; ++i) {
    stage.apply("Destination", name_of(i),
                "{selector: {app: web}, ports: [{port: 80, targetPort: 8080}], subsets: {v1: "
                "{labels: {version: v1}}, v2: {labels: {version: v2}}}}");
    stage.apply("TrafficRoute", name_of(i),
                cat("{hosts: [", host_of(stage, i),
                    "], gateways: [entry], routes: [{weights: [{destination: ", name_of(i),
                    ", version: v1}]}]}"));
  }
  must(stage.reconcile("300s"));
  await_ready(stage.ns(), {"web-v1", "web-v2"});
  const std::string url = cat("http://", gateway_address(stage), "/");
  for (int i = 0; i < k_releases; ++i) {
    REQUIRE(eventually(
        [&] {
          return run_command({"curl", "-sf", "-H", cat("Host: ", host_of(stage, i)), url}).out ==
                 "v1";
        },
        120));
  }
}

metrics::Subject subject_of(Stage& stage, int i) {
  metrics::Subject subject;
  subject.ns = stage.ns();
  subject.host = cat(name_of(i), '.', stage.ns(), ".svc.cluster.local");
  subject.versions = {"v1", "v2"};
  subject.gateways = {{"", "istio=ingressgateway"}};
  return subject;
}

/// Requests and errors of a version since the gateway runs.
metrics::Counts total(const metrics::Sample& sample, const std::string& version) {
  metrics::Counts counts;
  for (const metrics::Series& series : sample.arms.at(version)) {
    counts.requests += series.requests;
    counts.errors += series.errors;
  }
  return counts;
}

}  // namespace

TEST_CASE("seeds: 5 % failures are found within 300 canary requests in 17 of 20 runs" *
          doctest::skip()) {
  Stage stage("seeds");
  set_up_all(stage);
  for (int i = 0; i < k_releases; ++i) {
    stage.apply("CanaryRelease", name_of(i),
                cat("{destination: ", name_of(i), ", stable: v1, canary: v2, routes: [", name_of(i),
                    "], interval: ", k_interval, "s}"));
  }
  std::vector<std::unique_ptr<Load>> loads;
  for (int i = 0; i < k_releases; ++i) {
    loads.push_back(std::make_unique<Load>(
        stage, host_of(stage, i), Words{"-n", cat(2 * k_rate), "-c", "1", cat("--rps=", k_rate)}));
  }
  Background run(
      stage.world().as_user({"reconcile", "Project/" + stage.project(), "--timeout=500s"}));
  const auto provider = metrics::make_gateway_provider(connect(), {});
  std::map<int, metrics::Sample> ended;
  CHECK(eventually(
      [&] {
        for (int i = 0; i < k_releases; ++i) {
          if (!ended.contains(i) && text_of(stage.node("canaryreleases", name_of(i)),
                                            {"status", "state"}) == "RolledBack") {
            const auto sample = provider->sample(subject_of(stage, i), {});
            REQUIRE(sample);
            ended.emplace(i, *sample);
          }
        }
        return ended.size() == k_releases;
      },
      400));
  loads.clear();
  CHECK(run.wait(60) == 4);
  int in_time = 0, cheap = 0;
  for (const auto& [i, sample] : ended) {
    const auto canary = total(sample, "v2");
    const auto stable = total(sample, "v1");
    in_time += canary.requests <= k_most ? 1 : 0;
    cheap += canary.errors <= 0.01 * (canary.requests + stable.requests) ? 1 : 0;
    MESSAGE(name_of(i) << ": " << canary.requests << " canary requests, " << canary.errors
                       << " failed, of " << canary.requests + stable.requests << " in all");
  }
  MESSAGE(in_time << " of " << ended.size() << " within " << k_most << ", " << cheap
                  << " with at most 1 % failures");
  CHECK(in_time >= 17);
  CHECK(cheap == k_releases);
}
