// What one member writes costs only that member: other objects, and other projects, go on.
#include <doctest/doctest.h>
#include <signal.h>

#include "support.hpp"

namespace {

using namespace it;

/// A DeployItem of 600 levels, which the API server takes; gone with this.
class DeepItem {
 public:
  DeepItem(std::string ns, std::string name) : m_ns(std::move(ns)), m_name(std::move(name)) {
    Json value = 1;
    for (int level = 0; level < 600; ++level) {
      value = Json::array({std::move(value)});
    }
    const Json item{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                    {"kind", "DeployItem"},
                    {"metadata", {{"name", m_name}, {"namespace", m_ns}}},
                    {"spec", {{"type", "kubist.io/mock"}, {"config", {{"v", std::move(value)}}}}}};
    const auto made = client("home")->json(kubist::kube::create(resource("home", k_items), item));
    REQUIRE_MESSAGE(made, (made ? "" : made.error().to_string()));
  }
  ~DeepItem() { it::remove("home", k_items, m_name, m_ns); }
  DeepItem(const DeepItem&) = delete;
  DeepItem& operator=(const DeepItem&) = delete;

 private:
  std::string m_ns, m_name;
};

bool is_ready(const std::string& project, const std::string& name) {
  return condition(get("home", "kvc", name, project), "Ready") == "True";
}

std::string tree_ready(const std::string& project) {
  return condition(get("home", "projects.kubist.io", project), "TreeReady");
}

Json job(const std::string& project, const std::string& name, const std::string& part) {
  const Json item{{"name", "web"},
                  {"type", "Templates"},
                  {"template", "function(all) [{name: 'a', " + part + "}]"}};
  return object("Execution", project, name, {{"items", Json::array({item})}});
}

}  // namespace

TEST_CASE("hostile: an object of 600 levels fails itself alone, in a run and while watching") {
  World world("deep");
  const std::string good = world.name("good");
  const std::string bad = world.name("bad");
  for (const std::string& project : {good, bad}) {
    world.make_project(project);
    put("home", {object("Cluster", project, "home", {{"home", true}}),
                 virtual_cluster(project, "dev", "home", project + "-dev")});
  }
  const DeepItem homeless("default", world.name());
  Background watch({"reconcile", "Project/" + good, "Project/" + bad, "--watch"});
  REQUIRE_MESSAGE(eventually([&] { return is_ready(good, "dev") && is_ready(bad, "dev"); }),
                  watch.output());

  const DeepItem deep(bad, "deep");
  const std::string why =
      "DeployItem/" + bad + "/deep cannot be read: nested deeper than 500 levels";
  CHECK_MESSAGE(eventually([&] { return watch.output().find(why) != std::string::npos; }),
                watch.output());
  put("home", {virtual_cluster(bad, "late", "home", bad + "-late")});
  CHECK_MESSAGE(eventually([&] { return is_ready(bad, "late"); }), watch.output());
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());

  put("home", {virtual_cluster(good, "late", "home", good + "-late")});
  const CommandResult run =
      run_kubist({"reconcile", "Project/" + good, "Project/" + bad, "--timeout=60s"});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  CHECK_MESSAGE((run.out + run.err).find(why) != std::string::npos, run.out, run.err);
  CHECK_MESSAGE(run.out.find("Unreadable") != std::string::npos, run.out, run.err);
  CHECK(is_ready(good, "late"));
  CHECK(tree_ready(good) == "True");
  CHECK(tree_ready(bad) == "False");
  const std::string tree = must(run_kubist({"tree", "Project/" + good, "Project/" + bad}));
  CHECK_MESSAGE(tree.find("Unreadable") != std::string::npos, tree);
}

TEST_CASE("hostile: a template that gives imports which are no list fails its Execution only") {
  World world("badimports");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {job(project, "bad", "type: 'Script', script: 'true', imports: 'x'"),
               job(project, "good", "type: 'kubist.io/mock', config: {}")});
  const CommandResult run = run_kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  const auto bad = get("home", "executions.kubist.io", "bad", project);
  CHECK(condition(bad, "Ready") == "False");
  CHECK_MESSAGE(message(bad, "Ready")
                        .find("item web: deployItems[0] (a): imports: expected array, "
                              "found string") != std::string::npos,
                message(bad, "Ready"), run.out, run.err);
  CHECK(condition(get("home", "executions.kubist.io", "good", project), "Ready") == "True");
}
