#include <doctest/doctest.h>

#include <kubist/metrics/json_source.hpp>
#include <kubist/metrics/workload_health.hpp>

#include "support/fake_transport.hpp"

using namespace kubist::metrics;
namespace http = kubist::http;
namespace kube = kubist::kube;
using kubist::testing::FakeTransport;
using What = Measure::What;

namespace {

struct Setting {
  std::shared_ptr<FakeTransport> fake = std::make_shared<FakeTransport>();
  std::shared_ptr<kube::Client> client;
  Setting() {
    kube::ClusterAccess access;
    access.server = "http://fake";
    kube::ClientOptions options;
    options.transport = fake;
    client = *kube::Client::connect(access, options);
    fake->always("GET", "/apis/apps/v1/namespaces/shop/deployments/web", 200, R"({
      "apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","generation":4},
      "spec":{"replicas":5,"selector":{"matchLabels":{"app":"web"},
        "matchExpressions":[{"key":"v","operator":"In","values":["1","2"]},{"key":"old","operator":"DoesNotExist"}]}},
      "status":{"observedGeneration":3,"replicas":4,"updatedReplicas":2,"readyReplicas":3,
        "availableReplicas":3,"unavailableReplicas":1,
        "conditions":[{"type":"Progressing","status":"True"},{"type":"Available","status":"True"}]}})");
  }
  Expected<double> measure(What what) { return workload_measure(*client, "shop", "web", what, {}); }
};

Expected<double> read(int status, const std::string& body,
                      const std::string& path = "{.data.errors}") {
  FakeTransport fake;
  fake.reply("GET", "/stats", status, body);
  return read_json_source(fake, {"http://metrics.example.com/stats?token=secret", {}, path}, {});
}

std::string reason(const Expected<double>& value) { return value ? "" : value.error().reason; }

}  // namespace

TEST_CASE("workload: a Deployment's status, as Vamp's measures name it") {
  Setting setting;
  const auto health = workload_health(*setting.client, "shop", "web", {});
  REQUIRE(health);
  CHECK(health->wanted == 5);
  CHECK(health->ready == 3);
  CHECK_FALSE(health->observed);
  CHECK(health->selector == "app=web,v in (1,2),!old");
  CHECK(setting.measure(What::replicas) == 4.0);
  CHECK(setting.measure(What::updated_replicas) == 2.0);
  CHECK(setting.measure(What::available_replicas) == 3.0);
  CHECK(setting.measure(What::unavailable_replicas) == 1.0);
  CHECK(setting.measure(What::availability) == 1.0);
  CHECK(reason(setting.measure(What::requests)) == k_reason_error);
  CHECK(workload_health(*setting.client, "shop", "other", {}).error().reason == k_reason_not_found);
}

TEST_CASE("workload: what its pods use, by metrics.k8s.io where there is one") {
  Setting setting;
  CHECK(reason(setting.measure(What::cpu)) == k_reason_no_data);
  setting.fake->reply("GET", "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods", 200,
                      R"({"kind":"PodMetricsList","metadata":{},"items":[]})");
  CHECK(reason(setting.measure(What::cpu)) == k_reason_no_data);
  setting.fake->always("GET", "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods", 200, R"({
    "kind":"PodMetricsList","metadata":{},"items":[
      {"containers":[{"usage":{"cpu":"250m","memory":"64Mi"}},{"usage":{"cpu":"1","memory":"1Ki"}}]},
      {"containers":[{"usage":{"cpu":"500000000n","memory":"1Ki"}}]}]})");
  CHECK(setting.measure(What::cpu) == doctest::Approx(1.75));
  CHECK(setting.measure(What::memory) == 64.0 * 1024 * 1024 + 2048);
}

TEST_CASE("json source: one number of a document, or the reason") {
  CHECK(read(200, R"({"data":{"errors":3}})") == 3.0);
  CHECK(read(200, R"({"data":{"errors":"0.5"}})") == 0.5);
  CHECK(read(200, R"([{"n":1},{"n":7}])", "{[1].n}") == 7.0);
  CHECK(reason(read(200, R"({"data":{}})")) == k_reason_no_such_field);
  CHECK(reason(read(200, R"({"data":{"errors":[1,2]}})", "{.data.errors[*]}")) == k_reason_several);
  CHECK(reason(read(200, R"({"data":{"errors":true}})")) == k_reason_not_a_number);
  CHECK(reason(read(200, R"({"data":{"errors":"NaN"}})")) == k_reason_not_a_number);
  CHECK(reason(read(200, R"({"data":{"errors":"many"}})")) == k_reason_not_a_number);
  CHECK(reason(read(200, "<html></html>")) == k_reason_html);
  CHECK(reason(read(200, "errors 3")) == k_reason_not_metrics);
  CHECK(reason(read(401, "no")) == k_reason_forbidden);
  CHECK(reason(read(404, "no")) == k_reason_not_found);
  CHECK(reason(read(500, "no")) == k_reason_unreachable);
  CHECK(reason(read(302, "")) == k_reason_error);
  CHECK(reason(read(200, "{}", "{.a[}")) == k_reason_bad_query);
  for (const int status : {200, 404}) {
    const auto failed = read(status, R"({"data":{}})");
    CHECK(failed.error().message.find("secret") == std::string::npos);
    CHECK(failed.error().message.find("http://metrics.example.com/stats") != std::string::npos);
  }
}
