#include "readings.hpp"

#include <limits>

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

using namespace kubist::metrics;
namespace util = kubist::util;

namespace {

const std::chrono::system_clock::time_point k_now{std::chrono::seconds(1'800'000'000)};

Readings read(std::string_view text, const std::string& process = "ns/gw-1") {
  Readings readings;
  PrometheusText parser([&](const TextSample& line) {
    REQUIRE(readings.add(line.name, line.labels, line.value, process));
  });
  REQUIRE(parser.feed(text));
  REQUIRE(parser.finish());
  return readings;
}

Subject web_subject() { return {"shop", "web.shop.svc.cluster.local", {"v1", "v2"}, {}, {}, {}}; }

}  // namespace

TEST_CASE("readings: Envoy's clusters under Istio's tags, a version's ports apart") {
  const Readings readings = read(R"(
envoy_cluster_upstream_rq{response_code="200",cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 90
envoy_cluster_upstream_rq{response_code_class="2xx",cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 90
envoy_cluster_upstream_rq{response_code_class="5xx",cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 4
envoy_cluster_upstream_rq{response_code_class="4xx",cluster_name="outbound|81|v1|web.shop.svc.cluster.local;"} 6
envoy_cluster_upstream_rq{response_code_class="2xx",cluster_name="outbound|80||web.shop.svc.cluster.local"} 1000
envoy_cluster_upstream_rq{response_code_class="2xx",cluster_name="outbound|80|v1|web.other.svc.cluster.local"} 1000
envoy_cluster_external_upstream_rq{response_code_class="2xx",cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 90
envoy_cluster_upstream_rq_total{cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 94
envoy_cluster_upstream_rq_time_bucket{cluster_name="outbound|80|v1|web.shop.svc.cluster.local",le="1"} 50
envoy_cluster_upstream_rq_time_bucket{cluster_name="outbound|80|v1|web.shop.svc.cluster.local",le="+Inf"} 94
envoy_cluster_upstream_rq_time_sum{cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 200.5
envoy_cluster_upstream_rq_time_count{cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 94
)");
  const auto sample = readings.sample_of(web_subject(), k_now);
  REQUIRE(sample);
  CHECK(sample->source == "envoy");
  CHECK(sample->at == k_now);
  CHECK(sample->arms.at("v2").empty());
  const auto& arm = sample->arms.at("v1");
  REQUIRE(arm.size() == 2);
  CHECK(arm[0].id == "ns/gw-1|80");
  CHECK(arm[0].requests == 94);
  CHECK(arm[0].errors == 4);
  CHECK(arm[0].latency_ms ==
        std::vector<Bucket>{{1, 50}, {std::numeric_limits<double>::infinity(), 94}});
  CHECK(arm[0].latency_sum_ms == 200.5);
  CHECK(arm[1].requests == 6);
  CHECK(arm[1].errors == 0);
}

TEST_CASE("readings: Envoy's clusters under its own tags, and under none") {
  for (const char* text : {R"(
envoy_cluster_upstream_rq_xx{envoy_response_code_class="2",envoy_cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 8
envoy_cluster_upstream_rq_xx{envoy_response_code_class="5",envoy_cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 2
envoy_cluster_upstream_rq{envoy_response_code="200",envoy_cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 8
)",
                           R"(
envoy_cluster_upstream_rq_2xx{cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 8
envoy_cluster_upstream_rq_5xx{cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 2
envoy_cluster_upstream_rq_200{cluster_name="outbound|80|v1|web.shop.svc.cluster.local"} 8
)"}) {
    const auto sample = read(text).sample_of(web_subject(), k_now);
    REQUIRE(sample);
    REQUIRE(sample->arms.at("v1").size() == 1);
    CHECK(sample->arms.at("v1")[0].requests == 10);
    CHECK(sample->arms.at("v1")[0].errors == 2);
  }
}

TEST_CASE("readings: Istio's requests by version or workload; who went away is no error") {
  const Readings readings = read(R"(
istio_requests_total{destination_service="web.shop.svc.cluster.local",destination_workload="web-b",destination_version="v2",response_code="200",response_flags="-"} 50
istio_requests_total{destination_service="web.shop.svc.cluster.local",destination_workload="web-b",destination_version="v2",response_code="503",response_flags="UF"} 3
istio_requests_total{destination_service="web.shop.svc.cluster.local",destination_workload="web-b",destination_version="v2",response_code="503",response_flags="DC"} 1
istio_requests_total{destination_service="web.shop.svc.cluster.local",destination_workload="web-b",destination_version="v2",response_code="0",response_flags="DC"} 9
istio_requests_total{destination_service="web.shop.svc.cluster.local",destination_workload="web-b",destination_version="v2",response_code="200",grpc_response_status="14"} 2
istio_requests_total{destination_service="web.shop.svc.cluster.local",destination_workload="web-b",destination_version="v2",response_code="200",grpc_response_status="5"} 4
istio_requests_total{destination_service="web.shop.svc.cluster.local",destination_workload="web-a",destination_version="unknown",response_code="200"} 7
istio_request_duration_milliseconds_bucket{destination_service="web.shop.svc.cluster.local",destination_workload="web-b",destination_version="v2",le="5",response_code="200"} 40
istio_request_duration_milliseconds_bucket{destination_service="web.shop.svc.cluster.local",destination_workload="web-b",destination_version="v2",le="5",response_code="503"} 3
istio_request_duration_milliseconds_bucket{destination_service="web.shop.svc.cluster.local",destination_workload="web-b",destination_version="v2",le="+Inf",response_code="200"} 50
)");
  auto sample = readings.sample_of(web_subject(), k_now);
  REQUIRE(sample);
  CHECK(sample->source == "istio");
  CHECK(sample->arms.at("v1").empty());
  REQUIRE(sample->arms.at("v2").size() == 1);
  CHECK(sample->arms.at("v2")[0].requests == 60);
  CHECK(sample->arms.at("v2")[0].errors == 5);
  CHECK(sample->arms.at("v2")[0].latency_ms.front() == Bucket{5, 43});

  Subject by_workload = web_subject();
  by_workload.workloads = {{"v1", "web-a"}, {"v2", "web-b"}};
  sample = readings.sample_of(by_workload, k_now);
  REQUIRE(sample);
  CHECK(sample->arms.at("v1").at(0).requests == 7);
  CHECK(sample->arms.at("v2").at(0).requests == 60);
}

TEST_CASE("readings: versions that are Services of their own") {
  Subject services = web_subject();
  services.hosts = {{"v1", "web-v1.shop.svc.cluster.local"},
                    {"v2", "web-v2.shop.svc.cluster.local"}};
  const auto envoy = read(R"(
envoy_cluster_upstream_rq{response_code_class="2xx",cluster_name="outbound|80||web-v1.shop.svc.cluster.local"} 3
envoy_cluster_upstream_rq{response_code_class="2xx",cluster_name="outbound|80|x|web-v2.shop.svc.cluster.local"} 9
)")
                         .sample_of(services, k_now);
  REQUIRE(envoy);
  CHECK(envoy->arms.at("v1").at(0).requests == 3);
  CHECK(envoy->arms.at("v2").empty());
  const auto istio = read(R"(
istio_requests_total{destination_service="web-v2.shop.svc.cluster.local",destination_version="whatever",response_code="200"} 9
)")
                         .sample_of(services, k_now);
  REQUIRE(istio);
  CHECK(istio->arms.at("v2").at(0).requests == 9);
}

TEST_CASE("readings: nothing of any arm is no data, never zero; no number is told") {
  const auto none = read("envoy_server_uptime{} 5\n").sample_of(web_subject(), k_now);
  REQUIRE_FALSE(none);
  CHECK(none.error().verdict == Verdict::inconclusive);
  CHECK(none.error().reason == k_reason_no_data);

  Readings readings;
  const Labels labels{{"cluster_name", "outbound|80|v1|web"}, {"response_code_class", "2xx"}};
  CHECK_FALSE(readings.add("envoy_cluster_upstream_rq", labels,
                           std::numeric_limits<double>::quiet_NaN(), "p"));
  CHECK(readings.add("something_else", labels, std::numeric_limits<double>::quiet_NaN(), "p"));
}

TEST_CASE("readings: processes add up") {
  const char* text =
      "envoy_cluster_upstream_rq{response_code_class=\"2xx\",cluster_name=\"outbound|80|v1|web."
      "shop.svc.cluster.local\"} 8\n";
  Readings all = read(text, "ns/gw-1");
  all.merge(read(text, "ns/gw-2"));
  const auto sample = all.sample_of(web_subject(), k_now);
  REQUIRE(sample);
  CHECK(sample->arms.at("v1").size() == 2);
}

TEST_CASE("readings: what no cursor can hold is inconclusive: more than so many series or bounds") {
  const auto reason_of = [](int series, int bounds) {
    Readings readings;
    for (int i = 0; i < series; ++i) {
      const std::string cluster =
          util::cat("outbound|", i, "|v", 1 + i % 2, "|web.shop.svc.cluster.local");
      readings.add("envoy_cluster_upstream_rq_xx",
                   {{"cluster_name", cluster}, {"response_code_class", "2"}}, 1, "p");
      if (i < bounds) {
        for (const std::string& le : {std::to_string(i), std::string("+Inf")}) {
          readings.add("envoy_cluster_upstream_rq_time_bucket",
                       {{"cluster_name", cluster}, {"le", le}}, 1, "p");
        }
      }
    }
    const auto sample = readings.sample_of(web_subject(), k_now);
    return sample ? "" : util::cat(sample.error().reason, ": ", sample.error().message);
  };
  CHECK(reason_of(10'000, 0) == "");
  CHECK(reason_of(10'001, 0) ==
        "Error: the counters of web.shop.svc.cluster.local are more than 10000 series");
  CHECK(reason_of(600, 499) == "");
  CHECK(reason_of(600, 500) ==
        "Error: the histograms of web.shop.svc.cluster.local have more than 500 different bounds");
}
