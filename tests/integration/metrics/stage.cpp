#include "stage.hpp"

#include <csignal>
#include <fstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/util/process.hpp>
#include <kubist/util/text.hpp>

#include "envoy.hpp"

extern char** environ;

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

std::shared_ptr<kubist::kube::Client> connect() {
  auto access = kubist::kube::find_access({}, kubist::kube::process_environment());
  REQUIRE_MESSAGE(access, access.error().to_string());
  auto client = kubist::kube::Client::connect(std::move(*access));
  REQUIRE_MESSAGE(client, client.error().to_string());
  return *client;
}

std::string node_address() {
  return must(kubectl(
      "home", {"get", "nodes", "-o",
               R"(jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address})"}));
}

Stage::Stage(const std::string& test) : m_ns(cat("metrics-", test, '-', ::getpid())) {
  must(kubectl("home", {"create", "namespace", m_ns}));
  put("home", {backend(m_ns, "v1"), backend(m_ns, "v2")});
  put("home", routing(m_ns, host()));
  m_gateway = must(kubectl("home", {"get", "service", "istio-ingressgateway", "-n", "istio-system",
                                    "-o", "jsonpath={.spec.clusterIP}"}));
  must(kubectl("home",
               {"wait", "pods", "--all", "-n", m_ns, "--for=condition=Ready", "--timeout=120s"}));
  wait_until_served();
}

void Stage::wait_until_served() {
  for (const char* path : {"/v1/ok", "/v2/ok"}) {
    REQUIRE(eventually([&] { return answered(path, 200, 1) == 1; }, 120));
  }
}

Stage::~Stage() {
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
  command.timeout = std::chrono::minutes(3);
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

RealPrometheus::RealPrometheus() : m_address(cat(node_address(), ':', k_prometheus_port)) {
  std::string targets;
  const std::string pods = must(kubectl(
      "home", {"get", "pods", "-n", "istio-system", "-l", "istio=ingressgateway",
               "--field-selector=status.phase=Running", "-o",
               R"(jsonpath={range .items[*]}{.metadata.name} {.status.podIP}{"\n"}{end})"}));
  for (const std::string& line : util::split(pods, '\n')) {
    if (const auto words = util::split(line, ' '); words.size() == 2) {
      targets += cat("      - {targets: ['", words[1],
                     ":15020'], labels: {namespace: istio-system, ", "pod: ", words[0], "}}\n");
    }
  }
  const auto config = m_folder.path() / "prometheus.yml";
  std::ofstream(config) << "global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n"
                           "  - job_name: gateway\n    metrics_path: /stats/prometheus\n"
                           "    static_configs:\n"
                        << targets;
  const std::string log = m_folder.path() / "log";
  std::vector<std::string> args{"prometheus", "--config.file=" + config.string(),
                                cat("--storage.tsdb.path=", (m_folder.path() / "data").string()),
                                cat("--web.listen-address=", m_address), "--log.level=warn"};
  std::vector<char*> words;
  for (std::string& arg : args) {
    words.push_back(arg.data());
  }
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  const int failed = posix_spawnp(&m_pid, "prometheus", &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  REQUIRE_MESSAGE(failed == 0, "no prometheus: scripts/packages --test");
}

RealPrometheus::~RealPrometheus() { kill(); }

void RealPrometheus::signal(int number) const {
  ::kill(m_pid, number);
  if (number == SIGSTOP) {  // until its last thread has stopped it answers
    ::waitpid(m_pid, nullptr, WUNTRACED);
  }
}

void RealPrometheus::kill() {
  if (m_pid > 0) {
    ::kill(m_pid, SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
    m_pid = -1;
  }
}

}  // namespace metrics_test
