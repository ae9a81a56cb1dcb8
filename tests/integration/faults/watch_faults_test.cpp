// A watch through an API server that misbehaves: what changes meanwhile is seen.
#include <csignal>
#include <deque>
#include <memory>

#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "rules.hpp"
#include "support.hpp"
#include "support/fault_proxy.hpp"

namespace {

using namespace faults;
using namespace it;
using kubist::util::cat;

/// Projects whose namespaces PROJECT-dev kubist keeps labelled, made side by side.
void make_projects(const Words& names) {
  std::vector<Json> projects, objects;
  std::vector<std::unique_ptr<Background>> runs;
  for (const std::string& name : names) {
    projects.push_back(object("Project", "", name));
    objects.push_back(object("Cluster", name, "home", {{"home", true}}));
    objects.push_back(virtual_cluster(name, "dev", "home", name + "-dev"));
  }
  put("home", projects);
  for (const std::string& name : names) {
    runs.push_back(std::make_unique<Background>(Words{"reconcile", "Project/" + name}));
  }
  for (const auto& run : runs) {
    REQUIRE_MESSAGE(run->wait(60) == 0, run->output());
  }
  put("home", objects);
}

/// A kubist that watches a project.
class Watcher {
 public:
  Watcher(const std::string& project, const Words& flags) : m_ns(project + "-dev") {
    Words words{"reconcile", "Project/" + project, "--watch"};
    words.insert(words.end(), flags.begin(), flags.end());
    m_run = std::make_unique<Background>(words);
  }
  void end() const {
    m_run->signal(SIGTERM);
    CHECK_MESSAGE(m_run->wait(20) == 143, output());
  }
  /// Takes away what kubist keeps.
  void drift() const {
    it::patch("home", "namespace", m_ns, "", kubist::kube::PatchType::merge,
              {{"metadata", {{"labels", {{"istio-injection", nullptr}}}}}});
  }
  bool is_mended() const {
    return eventually([&] { return label(m_ns, "istio-injection") == "enabled"; });
  }
  std::string output() const { return m_run->output(); }

 private:
  std::string m_ns;
  std::unique_ptr<Background> m_run;
};

const Json k_watches{{"path", "watch=1"}};
/// Behind the first bytes of the stream.
const Json k_begun{{"path", "watch=1"}, {"after", "response"}, {"bytes", 100}};

}  // namespace

TEST_CASE("faults: a watch goes on, and drift is mended") {
  struct Fault {
    const char* name;
    Json rule;
  };
  const std::vector<Fault> rows{
      {"reset", rule("count", k_watches)},
      {"latency", rule("latency", with(k_watches, {{"milliseconds", 300}}))},
      {"slow stream", after(rule("bandwidth", with(k_watches, {{"rate", 20000}})))},
      {"401", status(5, 401, k_watches)},
      {"403", status(5, 403, k_watches)},
      {"410", status(5, 410, k_watches)},
      {"429", status(5, 429, with(k_watches, {{"retryAfter", "1"}}))},
      {"500", status(5, 500, k_watches)},
      {"503", status(5, 503, k_watches)},
      {"reset before", first(5, "reset", k_watches)},
      {"reset after", after(first(5, "reset", k_watches))},
      {"stream cut", first(5, "truncate", k_begun)},
      {"stream reset", first(5, "abort", k_begun)},
      {"GOAWAY", first(5, "goaway", k_watches)},
      {"clock ahead", rule("date", with(k_watches, {{"seconds", 7200}}))},
  };
  World world("watchfaults");
  Words names;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    names.push_back(world.name(cat("r", row)));
  }
  make_projects(names);
  std::deque<FaultProxy> proxies(rows.size());
  std::deque<Watcher> watchers;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    watchers.emplace_back(names[row], proxies[row].through({}));
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    REQUIRE_MESSAGE(watchers[row].is_mended(), watchers[row].output());
    proxies[row].rules(Json::array({rows[row].rule}));
    proxies[row].cut();
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    INFO(rows[row].name);
    CHECK_MESSAGE(eventually([&] { return proxies[row].counts().front().seen > 0; }),
                  watchers[row].output());
    watchers[row].drift();
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    INFO(rows[row].name);
    CHECK_MESSAGE(watchers[row].is_mended(), watchers[row].output());
    watchers[row].end();
  }
}

TEST_CASE("faults: credentials that are refused during a watch are renewed without a gap") {
  World world("renewed");
  FaultProxy proxy;
  const kubist::util::TempDir folder("renewed");
  const std::string token = folder.path() / "token", runs = folder.path() / "runs";
  Json config = Json::parse(world.token_kubeconfig("home").first);
  const std::string secret = config["users"][0]["user"]["token"];
  Json& user = config["users"][0]["user"];
  SUBCASE("a file") {
    REQUIRE(kubist::util::write_file(token, secret));
    user = {{"tokenFile", token}};
  }
  SUBCASE("a plugin") {
    const std::string version = "client.authentication.k8s.io/v1";
    REQUIRE(kubist::util::write_file(
        token,
        Json{{"apiVersion", version}, {"kind", "ExecCredential"}, {"status", {{"token", secret}}}}
            .dump()));
    user = {{"exec",
             {{"apiVersion", version},
              {"command", "sh"},
              {"args", {"-c", cat("echo run >>", runs, "; cat ", token)}},
              {"interactiveMode", "Never"}}}};
  }
  config["clusters"][0]["cluster"]["server"] = proxy.url();
  const std::string path = folder.path() / "config";
  REQUIRE(kubist::util::write_file(path, config.dump()));
  make_projects({world.name()});
  const Watcher watched(world.name(), {"--kubeconfig", path});
  REQUIRE_MESSAGE(watched.is_mended(), watched.output());
  const auto before = kubist::util::read_file(runs).value_or("");
  proxy.rules(Json::array({status(1, 401, k_watches)}));
  proxy.cut();
  CHECK_MESSAGE(eventually([&] { return proxy.counts().front().acted == 1; }), watched.output());
  watched.drift();
  CHECK_MESSAGE(watched.is_mended(), watched.output());
  CHECK_MESSAGE(watched.output().find("away") == std::string::npos, watched.output());
  CHECK((user.contains("tokenFile") || kubist::util::read_file(runs).value_or("") != before));
  watched.end();
}
