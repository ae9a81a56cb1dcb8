#include <doctest/doctest.h>

#include <kubist/metrics/json_source.hpp>
#include <kubist/metrics/workload.hpp>

#include "support/fake_transport.hpp"

using namespace kubist::metrics;
namespace http = kubist::http;
namespace kube = kubist::kube;
using kubist::testing::FakeTransport;

namespace {

struct WorkloadSetting {
  std::shared_ptr<FakeTransport> fake = std::make_shared<FakeTransport>();
  std::shared_ptr<kube::Client> client;
  WorkloadSetting() {
    kube::ClusterAccess access;
    access.server = "http://fake";
    kube::ClientOptions options;
    options.transport = fake;
    client = *kube::Client::connect(access, options);
  }
  Expected<WorkloadUsage> usage() { return workload_usage(*client, "shop", "app=web", {}); }
};

Expected<double> read(int status, const std::string& body,
                      const std::string& path = "{.data.errors}") {
  FakeTransport fake;
  fake.reply("GET", "/stats", status, body);
  return read_json_source(fake, {"http://metrics.example.com/stats?token=secret", {}, path}, {});
}

template <class T>
std::string reason(const Expected<T>& value) {
  return value ? "" : value.error().reason;
}

}  // namespace

TEST_CASE("workload: what its pods use, by metrics.k8s.io where there is one") {
  WorkloadSetting setting;
  CHECK(reason(setting.usage()) == k_reason_no_data);
  setting.fake->reply("GET", "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods", 200,
                      R"({"kind":"PodMetricsList","metadata":{},"items":[]})");
  CHECK(reason(setting.usage()) == k_reason_no_data);
  setting.fake->always("GET", "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods", 200, R"({
    "kind":"PodMetricsList","metadata":{},"items":[
      {"containers":[{"usage":{"cpu":"250m","memory":"64Mi"}},{"usage":{"cpu":"1","memory":"1Ki"}}]},
      {"containers":[{"usage":{"cpu":"500000000n","memory":"1Ki"}}]}]})");
  const auto usage = setting.usage();
  REQUIRE(usage);
  CHECK(usage->cpu_cores == doctest::Approx(1.75));
  CHECK(usage->memory_bytes == 64.0 * 1024 * 1024 + 2048);
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

TEST_CASE("json source: of a Service, through the API server's proxy, and nowhere else") {
  WorkloadSetting setting;
  setting.fake->always("GET",
                       "/api/v1/namespaces/shop/services/https:stats:80/proxy/stats?format=json",
                       200, R"({"n":7})");
  const auto ask = [&](const std::string& service, const std::string& path) {
    return read_json_service(*setting.client, {"shop", service, path, "{.n}"}, {});
  };
  CHECK(ask("https:stats:80", "/stats?format=json") == 7.0);
  CHECK(reason(ask("other:80", "/stats")) == k_reason_not_found);
  const auto before = setting.fake->sent().size();
  for (const char* path : {"/../../../pods", "/%2E./%2e%2E/secrets", "/a b", "/a#b", "/a\nb"}) {
    CHECK_MESSAGE(reason(ask("stats:80", path)) == k_reason_bad_query, path);
  }
  for (const char* service : {"", "stats:80/x", "stats?", "stats%2f", "a b"}) {
    CHECK_MESSAGE(reason(ask(service, "/stats")) == k_reason_bad_query, service);
  }
  CHECK(setting.fake->sent().size() == before);
}
