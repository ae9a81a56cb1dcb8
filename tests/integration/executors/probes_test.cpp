// What a controller serves: probes and metrics.
#include <doctest/doctest.h>

#include <kubist/http/curl_transport.hpp>
#include <kubist/util/text.hpp>

#include "integration/faults/rules.hpp"
#include "replicas.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace http = kubist::http;
namespace util = kubist::util;

std::string fetch(const std::string& url) {
  const auto engine = std::make_shared<http::CurlEngine>();
  http::CurlTransport transport(engine, {});
  http::Request request;
  request.url = url;
  const auto response = http::send(transport, request);
  REQUIRE_MESSAGE(response, (response ? "" : response.error().to_string()));
  return cat(response->status, ' ', response->body);
}

/// Where a replica serves its probes and metrics.
std::string address_of(const Background& replica) {
  const std::string words = "/metrics on ";
  std::string address;
  REQUIRE(eventually([&] {
    const std::string output = replica.output();
    const auto at = output.find(words);
    const auto end = output.find('\n', at == std::string::npos ? 0 : at);
    if (at == std::string::npos || end == std::string::npos) {
      return false;
    }
    address = output.substr(at + words.size(), end - at - words.size());
    return true;
  }));
  return address;
}

}  // namespace

TEST_CASE("controller: probes and metrics, as promtool reads them") {
  const std::vector<const char*> samples{
      "\ncontroller_runtime_reconcile_total{controller=\"virtualcluster\",result=\"success\"} ",
      "\nrest_client_requests_total{code=\"200\",method=\"GET\",host=\"", "\nkubist_projects ",
      "\nkubist_replicas 1\n", "\nworkqueue_adds_total{name=\"kubist\",controller=\"kubist\"} "};
  Replicas r("metrics");
  r.start("one");
  const auto projects = make_projects(r.world, 1);
  REQUIRE_MESSAGE(
      eventually([&] { return condition(vc(projects[0], "dev"), "Ready") == "True"; }, 60),
      r.output());
  const std::string address = address_of(*r.running["one"]);
  CHECK(fetch(cat("http://", address, "/healthz")) == "200 ok\n");
  CHECK(fetch(cat("http://", address, "/readyz")) == "200 ok\n");
  std::string metrics;
  const auto has = [&](const char* sample) { return metrics.find(sample) != std::string::npos; };
  // A status is written before its run ends, and counts.
  CHECK_MESSAGE(eventually([&] {
                  metrics = fetch(cat("http://", address, "/metrics")).substr(4);
                  return std::all_of(samples.begin(), samples.end(), has);
                }),
                metrics);
  util::Command promtool;
  promtool.args = {"promtool", "check", "metrics"};
  promtool.input = metrics;
  promtool.timeout = std::chrono::seconds(30);
  const auto checked = util::run_command(promtool);
  REQUIRE_MESSAGE(checked, "no promtool: scripts/packages --test");
  CHECK_MESSAGE(checked->exit_code == 0, checked->out, checked->err);
}

TEST_CASE("controller: /readyz is 503 before the tree is seen and without a Lease, /healthz 200") {
  Replicas r("probes");
  FaultProxy proxy;
  const Json trees{{"method", "GET"}, {"path", "/virtualclusters\\?"}};
  proxy.rules(Json::array({faults::status(0, 503, trees)}));
  r.start("one", &proxy);
  const std::string url = cat("http://", address_of(*r.running["one"]));
  CHECK_MESSAGE(eventually([&] { return proxy.counts().front().acted > 0; }), r.output());
  CHECK(fetch(url + "/readyz") == "503 it has not seen the tree yet\n");
  CHECK(fetch(url + "/healthz") == "200 ok\n");
  proxy.rules(Json::array());
  CHECK_MESSAGE(eventually([&] { return fetch(url + "/readyz") == "200 ok\n"; }, 60), r.output());

  const Json leases{{"method", "WRITE"}, {"path", "/leases"}};
  proxy.rules(Json::array({faults::status(0, 503, leases)}));
  CHECK_MESSAGE(eventually([&] {
                  return fetch(url + "/readyz") == "503 the Lease of this replica is not valid\n";
                }),
                r.output());
  CHECK(fetch(url + "/healthz") == "200 ok\n");
  proxy.rules(Json::array());
  CHECK_MESSAGE(eventually([&] { return fetch(url + "/readyz") == "200 ok\n"; }), r.output());
}
