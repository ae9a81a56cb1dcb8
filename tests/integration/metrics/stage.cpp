#include "stage.hpp"

#include <unistd.h>

#include <kubist/util/process.hpp>
#include <kubist/util/text.hpp>

#include "caller.hpp"
#include "envoy.hpp"

namespace metrics_test {

using kubist::util::cat;
namespace util = kubist::util;

namespace {

/// Envoy publishes histograms every 5 s.
constexpr std::chrono::seconds k_publishing{6};

/// An Envoy that answers 200, and 500 where the path ends in "bad".
Json backend(const std::string& ns, const std::string& version) {
  const Json routes = Json::array({envoy_answer({{"safe_regex", {{"regex", ".*bad"}}}}, 500),
                                   envoy_answer({{"prefix", "/"}}, 200, version)});
  return envoy_pod(ns, "web-" + version, {{"app", "web"}, {"version", version}},
                   Json::array({envoy_listener(8080, routes)}),
                   {{"httpGet", {{"path", "/"}, {"port", 8080}}}, {"periodSeconds", 1}});
}

std::vector<Json> routing(const std::string& ns, const std::string& host) {
  const std::string at = cat("namespace: ", ns);
  return {
      yaml(cat("{apiVersion: v1, kind: Service, metadata: {name: web, ", at, "}, spec: {selector: ",
               "{app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}}")),
      yaml(cat("{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: web, ",
               at, "}, spec: {host: web, subsets: [{name: v1, labels: {version: v1}}, ",
               "{name: v2, labels: {version: v2}}]}}")),
      yaml(cat("{apiVersion: networking.istio.io/v1, kind: Gateway, metadata: {name: entry, ", at,
               "}, spec: {selector: {istio: ingressgateway}, servers: [{port: {number: 80, name: ",
               "http, protocol: HTTP}, hosts: [", host, "]}]}}")),
      yaml(cat(
          "{apiVersion: networking.istio.io/v1, kind: VirtualService, metadata: {name: web, ", at,
          "}, spec: {hosts: [", host, "], gateways: [entry], http: [",
          "{match: [{uri: {prefix: /v1/}}], route: [{destination: {host: web, subset: v1}}]}, ",
          "{match: [{uri: {prefix: /v2/}}], route: [{destination: {host: web, subset: v2}}]}]}}")),
  };
}

}  // namespace

Stage::Stage(const std::string& test)
    : m_ns(cat("metrics-", test, '-', ::getpid())), m_home(caller::client()) {
  must(kubectl("home", {"create", "namespace", m_ns}));
  put("home", {backend(m_ns, "v1"), backend(m_ns, "v2")});
  put("home", routing(m_ns, host()));
  m_gateway = must(kubectl("home", {"get", "service", "istio-ingressgateway", "-n", "istio-system",
                                    "-o", "jsonpath={.spec.clusterIP}"}));
  must(kubectl("home",
               {"wait", "pods", "--all", "-n", m_ns, "--for=condition=Ready", "--timeout=300s"}));
  wait_until_served();
}

void Stage::wait_until_served() {
  for (const char* path : {"/v1/ok", "/v2/ok"}) {
    REQUIRE(eventually([&] { return answered(path, 200, 1) == 1; }, 120));
  }
}

Stage::~Stage() {
  caller::revoke();
  static_cast<void>(kubectl("home", {"delete", "namespace", m_ns, "--wait=false"}));
}

metrics::Subject Stage::subject() const {
  return {m_ns, cat("web.", m_ns, ".svc.cluster.local"),   {"v1", "v2"}, {},
          {},   {{"istio-system", "istio=ingressgateway"}}};
}

int Stage::answered(const std::string& path, int status, int count) {
  util::Command command;
  command.args = {"h2load",
                  "--h1",
                  "-n",
                  std::to_string(count),
                  "-c",
                  count < 8 ? "1" : "8",
                  "-t",
                  "1",
                  cat("--connect-to=", m_gateway, ":80"),
                  cat("http://", host(), path)};
  command.timeout = std::chrono::minutes(6);
  const auto result = util::run_command(command);
  REQUIRE_MESSAGE(result, (result ? "" : result.error().to_string()));
  // "status codes: 299 2xx, 0 3xx, 0 4xx, 1 5xx"
  const auto line = result->out.find("status codes: ");
  const auto end = result->out.find(cat(' ', status / 100, "xx"), line);
  if (line == std::string::npos || end == std::string::npos) {
    return 0;
  }
  const auto begin = result->out.find_last_of(' ', end - 1) + 1;
  return std::atoi(result->out.substr(begin, end - begin).c_str());
}

void Stage::send(const std::string& path, int count, int status) {
  REQUIRE(answered(path, status, count) == count);
}

metrics::Sample sample(metrics::Provider& provider, const metrics::Subject& subject) {
  auto sampled = provider.sample(subject, {});
  REQUIRE_MESSAGE(sampled, (sampled ? "" : sampled.error().message));
  return *sampled;
}

metrics::Sample settled_sample(metrics::Provider& provider, const metrics::Subject& subject) {
  using Clock = std::chrono::steady_clock;
  metrics::Sample seen = sample(provider, subject);
  auto since = Clock::now();
  REQUIRE(eventually(
      [&] {
        metrics::Sample now = sample(provider, subject);
        if (now.arms != seen.arms) {
          seen = std::move(now);
          since = Clock::now();
        }
        return Clock::now() - since > k_publishing;
      },
      120));
  return seen;
}

std::string reason(metrics::Provider& provider, const metrics::Subject& subject) {
  const auto sampled = provider.sample(subject, {});
  return sampled ? "" : sampled.error().reason;
}

std::map<std::string, metrics::Counts> gained(metrics::Provider& provider,
                                              const metrics::Subject& subject,
                                              const metrics::Sample& before, double requests,
                                              bool timed_too) {
  std::map<std::string, metrics::Counts> counts;
  const bool seen = eventually(
      [&] {
        counts = metrics::difference(before, sample(provider, subject));
        double counted = 0;
        double timed = 0;
        for (const auto& [version, arm] : counts) {
          counted += arm.requests;
          timed += arm.latency_ms.empty() ? 0 : arm.latency_ms.back().count;
        }
        return counted >= requests && (!timed_too || timed >= requests);
      },
      120);
  CHECK(seen);
  return counts;
}

}  // namespace metrics_test
