#include "prometheus.hpp"

#include <csignal>
#include <fstream>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/util/text.hpp>

extern char** environ;

namespace it {

using kubist::util::cat;
namespace util = kubist::util;

namespace {

/// Below those that the kernel gives to connections.
constexpr int k_port = 19090;

/// The node's address, which the API server reaches too.
std::string node_address() {
  return must(kubectl(
      "home", {"get", "nodes", "-o",
               R"(jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address})"}));
}

}  // namespace

RealPrometheus::RealPrometheus() : m_address(cat(node_address(), ':', k_port)) {
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

// The API server's proxy takes only addresses of pods, so a pod in the node's network lends its
// own.
std::vector<Json> prometheus_service(const std::string& ns) {
  const Json labels{{"app", "prometheus"}};
  return {{{"apiVersion", "v1"},
           {"kind", "Pod"},
           {"metadata", {{"name", "prometheus"}, {"namespace", ns}, {"labels", labels}}},
           {"spec",
            {{"hostNetwork", true},
             {"automountServiceAccountToken", false},
             {"terminationGracePeriodSeconds", 0},
             {"containers", Json::array({{{"name", "main"}, {"image", "localhost/pause:1"}}})}}}},
          {{"apiVersion", "v1"},
           {"kind", "Service"},
           {"metadata", {{"name", "prometheus"}, {"namespace", ns}}},
           {"spec",
            {{"selector", labels},
             {"ports", Json::array({{{"port", 9090}, {"targetPort", k_port}}})}}}}};
}

}  // namespace it
