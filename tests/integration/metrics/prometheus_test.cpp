// A real Prometheus that scrapes the real gateway, asked at its address and through the API server.
#include "prometheus.hpp"

#include <csignal>

#include <unistd.h>

#include <kubist/http/curl_transport.hpp>
#include <kubist/metrics/prometheus.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/text.hpp>

#include "caller.hpp"
#include "stage.hpp"

using namespace metrics_test;
using kubist::util::cat;
namespace http = kubist::http;

namespace {

const std::string k_project = cat("metrics-prometheus-", ::getpid());
const std::string k_ns = k_project + "-dev";  // of a virtual cluster

metrics::PrometheusOptions options() {
  metrics::PrometheusOptions options;
  options.names = metrics::Names::envoy;
  return options;
}

/// A project's namespace and that of its virtual cluster, with the Service.
class Project {
 public:
  Project() {
    must(kubectl("home", {"create", "namespace", k_project}));
    must(kubectl("home", {"create", "namespace", k_ns}));
    put("home", kubist::setup::project_roles());
    put("home", prometheus_service(k_ns));
    caller::grant({.project = k_project, .ns = k_project, .home_namespaces = {k_ns}});
  }
  ~Project() {
    static_cast<void>(kubectl("home", {"delete", "namespace", k_project, k_ns, "--wait=false"}));
  }
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;
};

std::shared_ptr<metrics::Prometheus> direct(const std::string& url,
                                            metrics::PrometheusOptions with = options()) {
  static const auto k_engine = std::make_shared<http::CurlEngine>();
  auto transport = std::make_shared<http::CurlTransport>(k_engine, http::EndpointOptions{});
  auto made = metrics::Prometheus::direct(std::move(transport), url, {}, with);
  REQUIRE(made);
  return *made;
}

/// As the project's account, as kubist does.
std::shared_ptr<metrics::Prometheus> through(const std::string& service) {
  const auto as_project = caller::client()->as(
      kubist::resources::service_account_user(k_project, kubist::resources::k_project_account));
  auto made = metrics::Prometheus::through(as_project, k_ns, service, options());
  REQUIRE(made);
  return *made;
}

std::string query_reason(metrics::Prometheus& prometheus, const std::string& expression) {
  const auto value = prometheus.query(expression, {});
  return value ? cat("got ", *value) : value.error().reason;
}

/// Both versions have counters. An Envoy that makes a cluster anew forgets those of the old one, so
/// there are requests until then.
void wait_until_known(metrics::Prometheus& prometheus, Stage& stage) {
  std::string last;
  eventually(
      [&] {
        stage.wait_until_served();
        last = reason(prometheus, stage.subject());
        return last.empty();
      },
      120);
  REQUIRE(last == "");
}

/// Every way not to get a number has its reason. The server is gone after it.
void check_reasons(metrics::Prometheus& at_url, metrics::Prometheus& by_service,
                   RealPrometheus& server, const std::string& url) {
  CHECK(at_url.query("40 + 2", {}) == 42.0);
  CHECK(query_reason(at_url, "nothing_of_that_name") == metrics::k_reason_no_data);
  CHECK(query_reason(at_url, "{job=\"gateway\"}") == metrics::k_reason_several);
  CHECK(query_reason(at_url, "0/0") == metrics::k_reason_not_a_number);
  CHECK(query_reason(at_url, "sum(") == metrics::k_reason_bad_query);
  CHECK(query_reason(at_url, "\"text\"") == metrics::k_reason_wrong_type);
  CHECK(query_reason(at_url, "up[1m]") == metrics::k_reason_wrong_type);
  CHECK(query_reason(by_service, "sum(") == metrics::k_reason_bad_query);
  const char* const many =
      "{__name__=~\"envoy_server_.*\"} * on(job) {__name__=~\"envoy_server_.*\"}";
  CHECK(query_reason(at_url, many) == metrics::k_reason_cannot_execute);
  CHECK(query_reason(by_service, many) == metrics::k_reason_cannot_execute);
  CHECK(query_reason(*direct(url + "/graph"), "1") == metrics::k_reason_not_found);
  CHECK(query_reason(*through("prometheus:1"), "1") == metrics::k_reason_unreachable);
  CHECK(query_reason(*through("nothing:9090"), "1") == metrics::k_reason_not_found);

  metrics::PrometheusOptions hasty = options();
  hasty.timeout = std::chrono::milliseconds(500);
  const auto impatient = direct(url, hasty);
  server.signal(SIGSTOP);
  CHECK(query_reason(*impatient, "1") == metrics::k_reason_timeout);
  server.signal(SIGCONT);
  server.kill();
  CHECK(query_reason(at_url, "1") == metrics::k_reason_unreachable);
  CHECK(query_reason(by_service, "1") == metrics::k_reason_unreachable);
}

}  // namespace

TEST_CASE("metrics: Prometheus counts every request too, asked directly and through a Service") {
  Stage stage("prom");
  RealPrometheus server;
  const Project project;
  const std::string url = cat("http://", server.address());
  const auto at_url = direct(url);
  const auto by_service = through("prometheus:9090");
  wait_until_known(*at_url, stage);
  wait_until_known(*by_service, stage);

  const metrics::Sample before = settled_sample(*at_url, stage.subject());
  stage.send("/v1/ok", 300, 200);
  stage.send("/v2/ok", 60, 200);
  stage.send("/v2/bad", 40, 500);
  for (const auto& provider : {at_url, by_service}) {
    auto counts = gained(*provider, stage.subject(), before, 400);
    CHECK(counts["v1"].requests == 300);
    CHECK(counts["v1"].errors == 0);
    CHECK(counts["v1"].latency_ms.back().count == 300);
    CHECK(counts["v2"].requests == 100);
    CHECK(counts["v2"].errors == 40);
  }
  metrics::PrometheusOptions istio = options();  // this gateway has Envoy's counters alone
  istio.names = metrics::Names::istio;
  CHECK(reason(*direct(url, istio), stage.subject()) == metrics::k_reason_no_data);
  check_reasons(*at_url, *by_service, server, url);
}
