#include "fault_proxy.hpp"

#include <array>
#include <csignal>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kubist/kube/kubeconfig.hpp>
#include <kubist/util/process.hpp>
#include <kubist/util/text.hpp>

#include "live.hpp"
#include "paths.hpp"

extern char** environ;

namespace it {

using namespace kubist;
using data::Json;

namespace {

const std::string& program() {
  static const std::string path = [] {
    const auto made =
        util::run_command({.args = {paths::source_dir() + "/tests/cluster/cluster", "faultproxy"}});
    REQUIRE_MESSAGE((made && made->exit_code == 0), (made ? made->err : made.error().to_string()));
    return std::string(util::trim(made->out));
  }();
  return path;
}

std::string server_of(const std::string& cluster) {
  kube::Overrides overrides;
  overrides.kubeconfig = kubeconfig(cluster);
  const auto access = kube::find_access(overrides, kube::process_environment());
  REQUIRE_MESSAGE(access, (access ? "" : access.error().to_string()));
  return access->server;
}

}  // namespace

FaultProxy::FaultProxy(const std::string& cluster, int ports) : m_cluster(cluster) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto pki = kubeconfig("home").parent_path().parent_path() / "pki" / cluster;
  std::vector<std::string> words{program(), "--server", server_of(cluster),   "--pki",
                                 pki,       "--ports",  std::to_string(ports)};
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  std::array<int, 2> in{}, out{};
  REQUIRE((pipe2(in.data(), O_CLOEXEC) == 0 && pipe2(out.data(), O_CLOEXEC) == 0));
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  const int failed = posix_spawn(&m_pid, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  ::close(in[0]);
  ::close(out[1]);
  m_in = in[1];
  m_out = out[0];
  REQUIRE_MESSAGE(failed == 0, argv[0]);
  m_ports = answer()["ports"].get<std::vector<int>>();
}

FaultProxy::~FaultProxy() {
  ::close(m_in);
  ::close(m_out);
  ::kill(m_pid, SIGKILL);
  ::waitpid(m_pid, nullptr, 0);
}

std::vector<std::string> FaultProxy::urls() const {
  std::vector<std::string> urls;
  for (const int port : m_ports) {
    urls.push_back(util::cat("https://127.0.0.1:", port));
  }
  return urls;
}

std::vector<std::string> FaultProxy::through(std::vector<std::string> args) const {
  args.insert(args.end(), {"--server", url()});
  if (m_cluster != "home") {
    args.insert(args.end(), {"--kubeconfig", kubeconfig(m_cluster)});
  }
  return args;
}

void FaultProxy::rules(const Json& rules) { ask({{"rules", rules}}); }

void FaultProxy::cut() { ask({{"cut", true}}); }

std::vector<FaultProxy::Count> FaultProxy::counts() {
  std::vector<Count> counts;
  const Json state = ask(Json::object());
  for (const Json& count : state["rules"]) {
    counts.push_back({count["seen"], count["acted"], count["answered"]});
  }
  return counts;
}

void FaultProxy::allow_writes(int most, const Json& more) {
  Json all{{{"method", "WRITE"}, {"fault", "count"}}};
  all.insert(all.end(), more.begin(), more.end());
  if (most > 0) {
    const auto silent = [&](int skip, int first, const char* after) {
      all.push_back({{"method", "WRITE"},
                     {"fault", "silence"},
                     {"skip", skip},
                     {"first", first},
                     {"after", after}});
    };
    silent(most - 1, 1, "response");
    silent(most, 0, "request");
  }
  rules(all);
}

bool FaultProxy::reached(int writes, int seconds) {
  return eventually([&] { return this->writes() >= writes; }, seconds);
}

Json FaultProxy::ask(const Json& command) {
  const std::string line = command.dump() + '\n';
  REQUIRE(::write(m_in, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  return answer();
}

Json FaultProxy::answer() {
  std::size_t end = 0;
  while ((end = m_unread.find('\n')) == std::string::npos) {
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(m_out, bytes.data(), bytes.size());
    REQUIRE_MESSAGE(count > 0, "the fault proxy has ended; its stderr says why");
    m_unread.append(bytes.data(), static_cast<std::size_t>(count));
  }
  Json answer = Json::parse(m_unread.substr(0, end));
  m_unread.erase(0, end + 1);
  return answer;
}

}  // namespace it
