// The gateway pods' own statistics, through the API server: exactly what was sent.
#include <kubist/metrics/gateway.hpp>
#include <kubist/util/text.hpp>

#include "stage.hpp"

using namespace metrics_test;

namespace {

/// Every reading afresh.
std::shared_ptr<metrics::Provider> gateway(const Stage& stage,
                                           std::vector<int> ports = {15090, 15020}) {
  metrics::GatewayOptions options;
  options.max_age = std::chrono::milliseconds(0);
  options.ports = std::move(ports);
  return metrics::make_gateway_provider(stage.home(), options);
}

std::string gateway_pods() {
  return must(kubectl("home", {"get", "pods", "-n", "istio-system", "-l", "istio=ingressgateway",
                               "-o", "jsonpath={.items[*].metadata.name}"}));
}

}  // namespace

TEST_CASE("metrics: the gateway's own statistics count every request of each version") {
  Stage stage("gateway");
  for (const std::vector<int>& ports : {std::vector<int>{15090}, std::vector<int>{15020}}) {
    const auto provider = gateway(stage, ports);
    const metrics::Sample before = settled_sample(*provider, stage.subject());
    CHECK(before.source == "envoy");
    stage.send("/v1/ok", 300, 200);
    stage.send("/v2/ok", 200, 200);
    stage.send("/v2/bad", 40, 500);
    auto counts = gained(*provider, stage.subject(), before, 540);
    CHECK(counts["v1"].requests == 300);
    CHECK(counts["v1"].errors == 0);
    CHECK(counts["v1"].latency_ms.back().count == 300);
    CHECK(counts["v2"].requests == 240);
    CHECK(counts["v2"].errors == 40);
    CHECK(counts["v2"].latency_ms.back().count == 240);
    CHECK(counts["v2"].latency_sum_ms >= 0);
  }
}

TEST_CASE("metrics: what a saved cursor lacks is counted once, over a new gateway pod too") {
  Stage stage("reset");
  const auto provider = gateway(stage);
  metrics::Sample cursor = sample(*provider, stage.subject());
  stage.send("/v1/ok", 30, 200);
  auto counts = gained(*provider, stage.subject(), cursor, 30, false);
  CHECK(counts["v1"].requests == 30);

  const auto saved =
      metrics::to_json(metrics::carry_over(cursor, sample(*provider, stage.subject())));
  CHECK(saved.dump().size() < 1'000);
  cursor = *metrics::read_sample(Json::parse(saved.dump()));
  const std::string old = gateway_pods();
  must(kubectl("home", {"delete", "pod", "-n", "istio-system", "-l", "istio=ingressgateway",
                        "--grace-period=1", "--wait"}));
  must(kubectl("home", {"rollout", "status", "deployment/istio-ingressgateway", "-n",
                        "istio-system", "--timeout=300s"}));
  CHECK(gateway_pods() != old);
  stage.wait_until_served();
  const metrics::Sample after = sample(*provider, stage.subject());
  const auto warm = metrics::difference(cursor, after);
  cursor = metrics::carry_over(cursor, after);
  stage.send("/v1/ok", 20, 200);
  stage.send("/v2/bad", 10, 500);
  counts = gained(*provider, stage.subject(), cursor, 30, false);
  CHECK(counts["v1"].requests == 20);
  CHECK(counts["v2"].requests == 10);
  CHECK(counts["v2"].errors == 10);
  // The new process counts from zero: no more than the few requests that waited for it.
  CHECK(warm.at("v1").requests < 30);
}

TEST_CASE("metrics: what the gateway cannot say has a reason") {
  Stage stage("reason");
  const auto provider = gateway(stage);
  metrics::Subject other = stage.subject();
  other.host = "nobody.nowhere.svc.cluster.local";
  CHECK(reason(*provider, other) == metrics::k_reason_no_data);
  other = stage.subject();
  other.gateways = {{"istio-system", "istio=nothing"}};
  CHECK(reason(*provider, other) == metrics::k_reason_no_pods);
  CHECK(reason(*gateway(stage, {1}), stage.subject()) == metrics::k_reason_unreachable);
  // The health port answers, but not with statistics.
  CHECK(reason(*gateway(stage, {15021}), stage.subject()) == metrics::k_reason_not_found);

  kubist::kube::Overrides overrides;
  overrides.as = "nobody-at-all";
  auto access = kubist::kube::find_access(overrides, kubist::kube::process_environment());
  REQUIRE(access);
  const auto nobody = metrics::make_gateway_provider(*kubist::kube::Client::connect(*access));
  CHECK(reason(*nobody, stage.subject()) == metrics::k_reason_forbidden);
}
