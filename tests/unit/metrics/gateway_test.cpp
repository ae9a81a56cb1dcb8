#include <condition_variable>
#include <mutex>

#include <doctest/doctest.h>

#include <kubist/metrics/gateway.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_transport.hpp"

using namespace kubist::metrics;
namespace http = kubist::http;
namespace kube = kubist::kube;
namespace util = kubist::util;
using kubist::data::Json;
using kubist::testing::FakeTransport;

namespace {

class ManualClock : public util::Clock {
 public:
  std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::time_point(std::chrono::seconds(1'800'000'000) + elapsed);
  }
  std::chrono::steady_clock::time_point monotonic() const override {
    return std::chrono::steady_clock::time_point(elapsed);
  }
  util::BootClock::time_point boot() const override { return util::BootClock::time_point(elapsed); }
  std::chrono::seconds elapsed{0};
};

const char* const k_pods = "/api/v1/namespaces/istio-system/pods";

Json pod(const std::string& name, bool ready, const std::string& phase = "Running") {
  return {
      {"metadata", {{"name", name}, {"namespace", "istio-system"}}},
      {"status",
       {{"phase", phase},
        {"conditions", Json::array({{{"type", "Ready"}, {"status", ready ? "True" : "False"}}})}}}};
}

std::string counter(const std::string& version, int count, const std::string& host = "web") {
  return util::cat(
      "envoy_cluster_upstream_rq{response_code_class=\"2xx\",cluster_name=\"outbound|80|", version,
      '|', host, ".shop.svc.cluster.local\"} ", count, '\n');
}

struct GatewaySetting {
  std::shared_ptr<FakeTransport> fake = std::make_shared<FakeTransport>();
  ManualClock clock;
  std::shared_ptr<Provider> provider;

  explicit GatewaySetting(GatewayOptions options = {}) {
    kube::ClusterAccess access;
    access.server = "http://fake";
    kube::ClientOptions client;
    client.transport = fake;
    options.clock = &clock;
    provider = make_gateway_provider(*kube::Client::connect(access, client), options);
  }
  void pods(const std::vector<Json>& items) {
    fake->always("GET", k_pods, 200,
                 Json{{"apiVersion", "v1"},
                      {"kind", "PodList"},
                      {"metadata", Json::object()},
                      {"items", items}}
                     .dump());
  }
  void stats(const std::string& name, int port, int status, const std::string& body,
             const std::string& server = "envoy") {
    fake->always("GET", util::cat(k_pods, '/', name, ':', port, "/proxy/stats/prometheus"), status,
                 body, {{"server", server}, {"Content-Type", "text/plain"}});
  }
  Expected<Sample> sample(const std::string& host = "web") {
    Subject subject{"shop", host + ".shop.svc.cluster.local", {"v1", "v2"}, {}, {}, {}};
    subject.gateways = {{"istio-system", "istio=ingressgateway"}};
    return provider->sample(subject, {});
  }
  std::string reason() {
    const auto sampled = sample();
    return sampled ? "" : sampled.error().reason;
  }
};

const char* const k_unreachable =
    R"({"kind":"Status","reason":"ServiceUnavailable","message":"error trying to reach service: dial tcp: connection refused","code":503})";

}  // namespace

TEST_CASE("gateway: one list and one request a pod; subjects share it while it is young") {
  GatewaySetting setting;
  setting.pods({pod("gw-1", true), pod("gw-2", true), pod("gw-3", false, "Pending")});
  setting.stats("gw-1", 15090, 200, counter("v1", 90) + counter("v2", 7) + counter("v1", 3, "api"));
  setting.stats("gw-2", 15090, 200, counter("v1", 10));
  const auto web = setting.sample();
  REQUIRE_MESSAGE(web, (web ? "" : web.error().message));
  CHECK(web->arms.at("v1").size() == 2);
  CHECK(web->arms.at("v1")[0].id == "istio-system/gw-1|80");
  CHECK(web->arms.at("v1")[0].requests == 90);
  CHECK(web->arms.at("v2").size() == 1);
  const auto api = setting.sample("api");
  REQUIRE(api);
  CHECK(api->arms.at("v1").at(0).requests == 3);
  CHECK(setting.fake->sent().size() == 3);
  const std::string url = setting.fake->sent()[1].url;
  CHECK(url.find("?usedonly&filter=%5Ecluster%5C.outbound.%2A%5C.shop%5C.svc%5C.") !=
        std::string::npos);
  CHECK(url.find("istio_request%28s_total%7C_duration_milliseconds%29.%2A%5C.shop%5C.svc%5C.") !=
        std::string::npos);

  setting.clock.elapsed = std::chrono::seconds(2);
  REQUIRE(setting.sample());
  CHECK(setting.fake->sent().size() == 6);
}

TEST_CASE("gateway: pods in all namespaces, each named by its own") {
  GatewaySetting setting;
  setting.fake->always("GET", "/api/v1/pods", 200,
                       Json{{"apiVersion", "v1"},
                            {"kind", "PodList"},
                            {"metadata", Json::object()},
                            {"items", {pod("gw-1", true)}}}
                           .dump());
  setting.stats("gw-1", 15090, 200, counter("v1", 5));
  Subject subject{"shop", "web.shop.svc.cluster.local", {"v1"}, {}, {}, {}};
  subject.gateways = {{"", "istio=ingressgateway"}};
  const auto sampled = setting.provider->sample(subject, {});
  REQUIRE_MESSAGE(sampled, (sampled ? "" : sampled.error().message));
  CHECK(sampled->arms.at("v1").at(0).id == "istio-system/gw-1|80");
}

TEST_CASE(
    "gateway: the agent's port where Envoy's own does not answer, and that first from then on") {
  GatewaySetting setting;
  setting.pods({pod("gw-1", true)});
  setting.stats("gw-1", 15090, 503, k_unreachable);
  setting.stats("gw-1", 15020, 200, "istio_agent_x 1\n" + counter("v1", 5), "");
  REQUIRE(setting.sample());
  setting.clock.elapsed = std::chrono::seconds(2);
  const auto before = setting.fake->sent().size();
  REQUIRE(setting.sample());
  CHECK(setting.fake->sent().size() == before + 2);
}

TEST_CASE("gateway: what cannot be read is inconclusive, each with its reason") {
  const auto reason_of = [](int status, const std::string& body,
                            const std::string& server = "envoy") {
    GatewaySetting setting;
    setting.pods({pod("gw-1", true)});
    setting.stats("gw-1", 15090, status, body, server);
    setting.stats("gw-1", 15020, status, body, server);
    return setting.reason();
  };
  CHECK(reason_of(503, k_unreachable) == k_reason_unreachable);
  CHECK(reason_of(
            403,
            R"({"kind":"Status","reason":"Forbidden","message":"pods is forbidden","code":403})") ==
        k_reason_forbidden);
  CHECK(reason_of(200, "<html>hello</html>") == k_reason_html);
  CHECK(reason_of(200, "hello there") == k_reason_not_metrics);
  // The agent alone, while its Envoy does not answer: all counters would seem to have vanished.
  CHECK(reason_of(200, "istio_agent_x 1\n", "") == k_reason_not_metrics);
  CHECK(reason_of(200, "") == k_reason_no_data);
  CHECK(reason_of(200, "envoy_server_uptime{} 1\n", "") == k_reason_no_data);
  CHECK(reason_of(200, util::replace_all(counter("v1", 5), "} 5", "} NaN")) ==
        k_reason_not_a_number);

  GatewaySetting none;
  none.pods({pod("gw-1", true, "Pending")});
  CHECK(none.reason() == k_reason_no_pods);
  GatewaySetting forbidden;
  forbidden.fake->always("GET", k_pods, 403,
                         R"({"kind":"Status","reason":"Forbidden","message":"no","code":403})");
  CHECK(forbidden.reason() == k_reason_forbidden);
}

TEST_CASE(
    "gateway: a ready pod that fails makes the reading incomplete, one that is going does not") {
  GatewaySetting setting;
  Json going = pod("gw-2", true);
  going["metadata"]["deletionTimestamp"] = "2026-11-22T00:00:00Z";
  setting.pods({pod("gw-1", true), going, pod("gw-3", false)});
  setting.stats("gw-1", 15090, 200, counter("v1", 5));
  for (const char* name : {"gw-2", "gw-3"}) {
    setting.stats(name, 15090, 503, k_unreachable);
    setting.stats(name, 15020, 503, k_unreachable);
  }
  const auto partial = setting.sample();
  REQUIRE(partial);
  CHECK(partial->arms.at("v1").size() == 1);

  GatewaySetting broken;
  broken.pods({pod("gw-1", true), pod("gw-2", true)});
  broken.stats("gw-1", 15090, 200, counter("v1", 5));
  broken.stats("gw-2", 15090, 503, k_unreachable);
  broken.stats("gw-2", 15020, 503, k_unreachable);
  CHECK(broken.reason() == k_reason_unreachable);
  // Those who ask in the same second are told the same without asking again.
  const auto before = broken.fake->sent().size();
  CHECK(broken.reason() == k_reason_unreachable);
  CHECK(broken.fake->sent().size() == before);
}

TEST_CASE("gateway: what is kept of all pods is limited, whatever they invent") {
  GatewayOptions options;
  options.max_memory = std::size_t{16} << 20U;
  GatewaySetting setting(options);
  setting.pods({pod("gw-1", true), pod("gw-2", true), pod("gw-3", false)});
  std::string invented;
  for (int i = 0; i < 20'000; ++i) {
    invented += counter("v1", 1, util::cat("invented", i));
  }
  setting.stats("gw-2", 15090, 200, invented);
  setting.stats("gw-3", 15090, 200, invented);
  SUBCASE("the one that is not ready is left out") {
    setting.stats("gw-1", 15090, 200, counter("v1", 5));
    CHECK(setting.sample());
  }
  SUBCASE("of those that are ready the reading has no number") {
    setting.stats("gw-1", 15090, 200, counter("v1", 5) + invented);
    const auto sampled = setting.sample();
    REQUIRE_FALSE(sampled);
    CHECK(sampled.error().reason == "Error");
    CHECK(sampled.error().message.find(
              ", port 15090: with it the statistics of the gateway's pods take more than 16 MiB of "
              "memory") != std::string::npos);
  }
}

TEST_CASE("gateway: what the backends of other namespaces bring about is none of a reading") {
  GatewayOptions options;
  options.max_memory = std::size_t{1} << 20U;
  GatewaySetting setting(options);
  setting.pods({pod("gw-1", true)});
  const std::string forged =
      util::replace_all(counter("v1", 1), "web.shop.svc", "web.other.svc.x.shop.svc");
  std::string invented = util::replace_all(forged, "} 1", "} NaN");
  for (int i = 0; i < 5'000; ++i) {
    invented += util::cat("istio_requests_total{destination_service=\"x.other.svc.cluster.local\",",
                          "destination_workload=\"destination_service.web.shop.svc.", i, "\"} 1\n");
  }
  setting.stats("gw-1", 15090, 200, invented + counter("v1", 5));
  const auto sampled = setting.sample();
  REQUIRE_MESSAGE(sampled, (sampled ? "" : sampled.error().message));
  CHECK(sampled->arms.at("v1").at(0).requests == 5);
  CHECK(setting.fake->sent()[1].max_body == std::size_t{1} << 30U);
  Subject other{"other", "web.other.svc.cluster.local", {"v1"}, {}, {}, {}};
  other.gateways = {{"istio-system", "istio=ingressgateway"}};
  CHECK_FALSE(setting.provider->sample(other, {}));
  CHECK(setting.fake->sent().size() == 5);
}

TEST_CASE("gateway: more pods that take requests than a reading may have are no part of them") {
  GatewaySetting setting;
  std::vector<Json> pods;
  for (int i = 0; i < 105; ++i) {
    pods.push_back(pod(util::cat("gw-", 100 + i), i < 100));
    setting.stats(util::cat("gw-", 100 + i), 15090, 200, counter("v1", 5));
  }
  setting.pods(pods);
  SUBCASE("those that are not ready are left out") {
    const auto sampled = setting.sample();
    REQUIRE(sampled);
    CHECK(sampled->arms.at("v1").size() == 100);
  }
  SUBCASE("one more that is ready is too many") {
    pods[100] = pod("gw-200", true);
    GatewaySetting larger;
    larger.pods(pods);
    const auto sampled = larger.sample();
    REQUIRE_FALSE(sampled);
    CHECK(sampled.error().reason == k_reason_too_many_pods);
    CHECK(sampled.error().message == "101 gateway pods take requests, more than 100");
    CHECK(larger.fake->sent().size() == 1);
  }
}

TEST_CASE("gateway: some pods are read at the same time") {
  GatewaySetting setting;
  std::vector<Json> pods;
  for (int i = 0; i < 20; ++i) {
    pods.push_back(pod(util::cat("gw-", i), true));
  }
  setting.pods(pods);
  std::mutex mutex;
  std::condition_variable changed;
  int now = 0;
  int most = 0;
  setting.fake->handle("GET", util::cat(k_pods, "/*"), [&](const http::Request&) {
    std::unique_lock lock(mutex);
    most = std::max(most, ++now);
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(20), [&] { return most >= 2; });
    --now;
    return FakeTransport::answer(200, counter("v1", 5));
  });
  CHECK(setting.sample());
  CHECK(most >= 2);
  CHECK(most <= 8);
}

TEST_CASE("gateway: one reading ends in time, and without a pod that takes requests it has none") {
  GatewayOptions options;
  options.at_once = 1;
  GatewaySetting setting(options);
  const auto takes = [&](const char* name, int seconds) {
    setting.fake->handle("GET", util::cat(k_pods, '/', name, "*"),
                         [&setting, seconds](const http::Request&) {
                           setting.clock.elapsed += std::chrono::seconds(seconds);
                           return FakeTransport::answer(200, counter("v1", 5));
                         });
  };
  SUBCASE("of those that take requests") {
    takes("gw-", 9);
    setting.pods({pod("gw-1", true), pod("gw-2", true), pod("gw-3", true), pod("gw-4", true),
                  pod("gw-5", true)});
    const auto sampled = setting.sample();
    REQUIRE_FALSE(sampled);
    CHECK(sampled.error().reason == k_reason_timeout);
    CHECK(sampled.error().message ==
          "1 of 5 gateway pods that take requests were not read within 30 s");
    const auto sent = setting.fake->sent();
    REQUIRE(sent.size() == 5);  // the list, and four pods
    CHECK(sent[1].timeout == std::chrono::seconds(10));
    CHECK(sent[4].timeout == std::chrono::seconds(3));
  }
  SUBCASE("those that do not take the time of one") {
    takes("gw-", 6);
    setting.stats("ready", 15090, 200, counter("v1", 1));
    setting.pods({pod("gw-1", false), pod("gw-2", false), pod("gw-3", false), pod("ready", true)});
    const auto sampled = setting.sample();
    REQUIRE(sampled);
    CHECK(sampled->arms.at("v1").size() == 3);
  }
}

TEST_CASE("gateway: a request to stop is no failure of the others") {
  GatewaySetting setting;
  setting.pods({pod("gw-1", true)});
  setting.stats("gw-1", 15090, 200, counter("v1", 5));
  Subject subject{"shop", "web.shop.svc.cluster.local", {"v1"}, {}, {}, {}};
  subject.gateways = {{"istio-system", "istio=ingressgateway"}};
  std::stop_source stopped;
  stopped.request_stop();
  const auto cut = setting.provider->sample(subject, stopped.get_token());
  REQUIRE_FALSE(cut);
  CHECK(cut.error().reason == k_reason_cancelled);
  CHECK(setting.provider->sample(subject, {}));
}
