// What a Project imposes holds for what its members write, and they cannot take it off.
#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"
#include "support/paths.hpp"

namespace {

using namespace it;
using kubist::util::cat;

/// Denies Executions with an item of the name `bad`, and DeployItems of that name.
constexpr const char* k_no_bad = R"(function(list)
  local resource = list.items[0];
  local names = if resource.kind == 'Execution' then [item.name for item in resource.spec.items]
                else [resource.metadata.name];
  list { results: [
    { severity: 'error', message: 'bad is forbidden' }
    for name in names if name == 'bad' && !list.functionConfig.parameters.allow
  ] })";

/// A ClusterPolicyDefinition; gone with this.
class Rule {
 public:
  explicit Rule(std::string name) : m_name(std::move(name)) {
    put("home", {definition("ClusterPolicyDefinition", "", k_no_bad)});
  }
  ~Rule() {
    static_cast<void>(
        kubectl("home", {"delete", "clusterpolicydefinitions.kubist.io", m_name, "--wait=false"}));
  }
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;

  Json definition(const std::string& kind, const std::string& ns, const std::string& source) const {
    return object(
        kind, ns, m_name,
        {{"parameters", {{"properties", {{"allow", {{"type", "boolean"}, {"default", false}}}}}}},
         {"runtime", {{"jsonnet", {{"source", source}}}}}});
  }

 private:
  std::string m_name;
};

Json imposing(const std::string& rule, bool override) {
  return {{"impose", Json::array({{{"kinds", {"Execution", "DeployItem"}},
                                   {"policies", Json::array({{{"name", rule}}})},
                                   {"allowOverride", override}}})}};
}

/// One with an item of that name, which renders a DeployItem that does nothing.
Json execution(const std::string& project, const std::string& item) {
  return object("Execution", project, "job",
                {{"items", Json::array({{{"name", item},
                                         {"type", "Templates"},
                                         {"template",
                                          "function(all) [{name: 'a', type: 'kubist.io/mock', "
                                          "config: {}}]"}}})}});
}

/// The example's policy under a name of this run; gone with this.
class OwnRegistry {
 public:
  explicit OwnRegistry(std::string name) : m_name(std::move(name)) {
    const auto text = kubist::util::read_file(kubist::paths::source_dir() +
                                              "/examples/policies/own-registry.yaml");
    REQUIRE(text);
    put("home", {yaml(kubist::util::replace_all(*text, "name: own-registry", "name: " + m_name))});
  }
  ~OwnRegistry() {
    static_cast<void>(
        kubectl("home", {"delete", "clusterpolicydefinitions.kubist.io", m_name, "--wait=false"}));
  }
  OwnRegistry(const OwnRegistry&) = delete;
  OwnRegistry& operator=(const OwnRegistry&) = delete;

  Json imposed() const {
    return {{"impose",
             Json::array(
                 {{{"kinds", {"Execution", "DeployItem"}},
                   {"policies", Json::array({{{"name", m_name},
                                              {"parameters", {{"registry", "localhost"}}}}})}}})}};
  }

 private:
  std::string m_name;
};

/// One whose template returns a script that runs in this image.
Json scripted(const std::string& project, const std::string& image) {
  return object(
      "Execution", project, "job",
      {{"items",
        Json::array({{{"name", "t"},
                      {"type", "Templates"},
                      {"template", cat("function(all) [{name: 'a', type: 'Script', image: '", image,
                                       "', script: 'exit 0'}]")}}})}});
}

}  // namespace

TEST_CASE("imposed: a member's Execution is held to it, whatever the member writes") {
  World world("imposed");
  const std::string project = world.name();
  const std::string rule = world.name("rule");
  const Rule policy(rule);
  world.make_project(project, imposing(rule, false));
  Json job = execution(project, "bad");
  const auto run = [&] {
    return run_kubist(
        world.as_user({"reconcile", "Execution/job", "-n", project, "--timeout=60s"}));
  };
  const auto check_denied = [&] {
    const CommandResult denied = run();
    CHECK_MESSAGE(denied.exit_code == 5, denied.out, denied.err);
    CHECK_MESSAGE(denied.out.find("bad is forbidden") != std::string::npos, denied.out);
    CHECK(!get("home", k_items, "job-bad-a", project));
  };
  put("home", {job});
  check_denied();
  const CommandResult trace =
      run_kubist(world.as_user({"policy", "trace", "Execution/job", "-n", project}));
  CHECK_MESSAGE(trace.out.find(cat("imposed by Project/", project)) != std::string::npos, trace.out,
                trace.err);

  // Settings, from which parameters are filled in; its own call of that name, and a definition of
  // that name in the project's namespace.
  job["spec"]["settings"] = {{"allow", true}};
  put("home", {job});
  check_denied();
  job["spec"]["policies"] = Json::array({{{"name", rule}, {"parameters", {{"allow", true}}}}});
  put("home", {job});
  check_denied();
  put("home", {policy.definition("PolicyDefinition", project, "function(list) list")});
  check_denied();

  put("home", {object("Project", "", project, imposing(rule, true))}, true);
  const CommandResult overridden = run();
  CHECK_MESSAGE(overridden.exit_code == 0, overridden.out, overridden.err);
  CHECK(get("home", k_items, "job-bad-a", project));
}

TEST_CASE("imposed: what a member adds to an Execution's DeployItem does not run") {
  World world("imposed-addition");
  const std::string project = world.name();
  const Rule policy(world.name("rule"));
  world.make_project(project, imposing(world.name("rule"), false));
  put("home", {execution(project, "good")});
  const auto run = [&] {
    return must(
        run_kubist(world.as_user({"reconcile", "Execution/job", "-n", project, "--timeout=60s"})));
  };
  run();
  patch("home", k_items, "job-good-a", project, kubist::kube::PatchType::merge,
        {{"spec", {{"config", {{"phase", "Failed"}}}, {"updateOnChangeOnly", true}}}});
  run();
  const auto item = get("home", k_items, "job-good-a", project);
  REQUIRE(item);
  CHECK(!(*item)["spec"].value("config", Json::object()).contains("phase"));
  CHECK(!(*item)["spec"].contains("updateOnChangeOnly"));
  CHECK(condition(item, "Ready") == "True");
  Audit audit("home");
  run();
  CHECK(audit.writes(world.user()).empty());
}

TEST_CASE("imposed: what a template returns is held to it before anything is made") {
  World world("imposed-rendered");
  const std::string project = world.name();
  const OwnRegistry policy(world.name("registry"));
  world.make_project(project, policy.imposed());
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"reconcile", "Execution/job", "-n", project, "--timeout=120s"};
    words.insert(words.end(), more.begin(), more.end());
    return run_kubist(world.as_user(words));
  };
  put("home", {scripted(project, "evil.example/x")});
  for (const std::vector<std::string>& how : {std::vector<std::string>{"--dry-run=client"}, {}}) {
    const CommandResult denied = run(how);
    CHECK_MESSAGE(denied.exit_code == 5, denied.out, denied.err);
    CHECK_MESSAGE(denied.out.find("image evil.example/x is not of localhost") != std::string::npos,
                  denied.out, denied.err);
    CHECK(!get("home", k_items, "job-t-a", project));
  }
  const CommandResult trace =
      run_kubist(world.as_user({"policy", "trace", "Execution/job", "-n", project}));
  CHECK(trace.exit_code == 5);
  CHECK_MESSAGE(
      trace.out.find(cat("DeployItem/", project, "/job-t-a: 1 policy")) != std::string::npos,
      trace.out, trace.err);

  put("home", {scripted(project, "localhost/busybox:1")});
  must(run({}));
  CHECK(condition(get("home", k_items, "job-t-a", project), "Ready") == "True");
  Audit audit("home");
  must(run({}));
  CHECK(audit.writes(world.user()).empty());

  // Nor does what a member makes of the item run without its Execution.
  patch("home", k_items, "job-t-a", project, kubist::kube::PatchType::merge,
        {{"spec", {{"config", {{"image", "evil.example/x"}}}}}});
  const CommandResult alone =
      run_kubist(world.as_user({"deployitem", "reconcile", "job-t-a", "-n", project}));
  CHECK_MESSAGE(alone.exit_code == 5, alone.out, alone.err);
}

TEST_CASE("imposed: a DeployItem that stands alone does not get around it") {
  World world("imposed-item");
  const std::string project = world.name();
  const std::string rule = world.name("rule");
  const Rule policy(rule);
  world.make_project(project, imposing(rule, false));
  for (const char* name : {"bad", "good"}) {
    put("home", {{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                  {"kind", "DeployItem"},
                  {"metadata", {{"name", name}, {"namespace", project}}},
                  {"spec", {{"type", "kubist.io/mock"}}}}});
  }
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=60s"}));
  CHECK_MESSAGE(run.exit_code != 0, run.out, run.err);
  CHECK(condition(get("home", k_items, "good", project), "Ready") == "True");
  CHECK(condition(get("home", k_items, "bad", project), "Ready") != "True");
  const CommandResult alone =
      run_kubist(world.as_user({"deployitem", "reconcile", "bad", "-n", project}));
  CHECK_MESSAGE(alone.exit_code != 0, alone.out, alone.err);
  CHECK_MESSAGE((alone.out + alone.err).find("has policies") != std::string::npos, alone.out,
                alone.err);
  CHECK(condition(get("home", k_items, "bad", project), "Ready") != "True");
}
