// Policies that users bring: Jsonnet from the cluster and programs of this machine, in one chain
// with built-in ones; KRM functions as they are; and those that hang or print rubbish.
#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "programs.hpp"
#include "support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace fs = std::filesystem;

/// ClusterPolicyDefinitions that run one of the programs; gone with it.
class ExecPolicies {
 public:
  explicit ExecPolicies(const World& world) : m_world(world) {}
  ~ExecPolicies() {
    for (const std::string& name : m_names) {
      static_cast<void>(
          kubectl("home", {"delete", "clusterpolicydefinitions.kubist.io", name, "--wait=false"}));
    }
  }
  ExecPolicies(const ExecPolicies&) = delete;
  ExecPolicies& operator=(const ExecPolicies&) = delete;

  /// The name of the new policy; `more` goes into its spec.
  std::string add(const std::string& program, Json more = Json::object()) {
    m_names.push_back(m_world.name(program));
    more["runtime"] = {{"exec", program}};
    put("home", {{{"apiVersion", "kubist.io/v1alpha1"},
                  {"kind", "ClusterPolicyDefinition"},
                  {"metadata", {{"name", m_names.back()}}},
                  {"spec", std::move(more)}}});
    return m_names.back();
  }

 private:
  const World& m_world;
  std::vector<std::string> m_names;
};

Json jsonnet(const std::string& ns, const std::string& name, const std::string& source) {
  return object("PolicyDefinition", ns, name, {{"runtime", {{"jsonnet", {{"source", source}}}}}});
}

const char* const k_first = R"(function(list) list {
  items: [super.items[0] { spec+: { labels+: { seen: 'jsonnet' } } }] })";
// Appends its word to what the one before it wrote.
const char* const k_second = R"(exec sed 's/"seen":"jsonnet"/"seen":"jsonnet-exec"/')";

const Json k_replacements = Json::parse(R"([{
  "source": {"kind": "VirtualCluster", "fieldPath": "metadata.name"},
  "targets": [{"select": {"kind": "VirtualCluster"}, "options": {"create": true},
               "fieldPaths": ["spec.labels.environment"]}]}])");

const char* const k_back = R"(function(list) list { functionConfig+: { status: { decision:
  { action: 'rollback', reason: 'Moon', message: 'the moon is full' } } } })";
const char* const k_go =
    R"(exec sed 's/"functionConfig":{/&"status":{"decision":{"action":"advance","reason":"Sun"}},/')";

}  // namespace

TEST_CASE(
    "own policies: Jsonnet, a program of this machine and a built-in one, each on the former's "
    "output" *
    doctest::description("seed 1.5: policies run sequentially, each on the former's output")) {
  World world("chain");
  const std::string project = world.name();
  Programs programs;
  ExecPolicies policies(world);
  programs.add("second", k_second);
  const std::string second = policies.add("second");
  world.make_project(project);
  const Json chain = Json::array(
      {call("first"), call(second), call("JsonPatch", {{"labels", {{"last", "built-in"}}}})});
  put("home",
      {object("Cluster", project, "home", {{"home", true}}), jsonnet(project, "first", k_first),
       virtual_cluster(project, "dev", "home", world.name("dev"), {{"policies", chain}})});
  must(run_kubist({"reconcile", "Project/" + project}));
  const auto made = get("home", "namespace", world.name("dev"));
  REQUIRE(made);
  CHECK((*made)["metadata"]["labels"]["seen"] == "jsonnet-exec");
  CHECK((*made)["metadata"]["labels"]["last"] == "built-in");

  const Json trace =
      Json::parse(must(run_kubist({"policy", "trace", "vc/dev", "-n", project, "-o", "json"})));
  const Json& steps = trace["nodes"][0]["policies"];
  REQUIRE(steps.size() == 3);
  CHECK(steps[1]["input"]["items"][0]["spec"]["labels"]["seen"] == "jsonnet");
  CHECK(steps[2]["input"]["items"][0]["spec"]["labels"]["seen"] == "jsonnet-exec");

  // Recorded, they are cases that pass without a cluster.
  kubist::util::TempDir folder("recorded");
  const std::string cases = (folder.path() / "cases.yaml").string();
  must(run_kubist({"policy", "trace", "vc/dev", "-n", project, "--record", cases}));
  const Json definitions{{"apiVersion", "kubist.io/v1alpha1"},
                         {"kind", "ClusterPolicyDefinition"},
                         {"metadata", {{"name", second}}},
                         {"spec", {{"runtime", {{"exec", "second"}}}}}};
  REQUIRE(kubist::util::write_file(folder.path() / "first.json",
                                   jsonnet(project, "first", k_first).dump(), 0644));
  REQUIRE(kubist::util::write_file(folder.path() / "second.json", definitions.dump(), 0644));
  const CommandResult tested = run_kubist({"policy", "test", folder.path().string()});
  CHECK_MESSAGE(tested.out.find("3 passed, 0 failed") != std::string::npos, tested.out, tested.err);
  CHECK(run_kubist({"policy", "trace", "vc/dev", "-n", project, "--record", cases}).exit_code == 1);

  // Unchanged, it writes nothing.
  Audit audit("home");
  must(run_kubist(world.as_user({"reconcile", "Project/" + project})));
  CHECK(audit.writes(world.user()).empty());
}

TEST_CASE("own policies: KRM functions made with kustomize's framework run unchanged" *
          doctest::description("seed 1.10: custom policies")) {
  World world("krm");
  const std::string project = world.name();
  const fs::path folder = krm_functions();
  Programs programs;
  ExecPolicies policies(world);
  for (const char* name : {"set-labels", "replacement", "example"}) {
    programs.add_file(name, folder / name);
  }
  const Json text{{"type", "string"}};
  const std::string set_labels = policies.add(
      "set-labels",
      {{"parameters", {{"properties", {{"labels", {{"additionalProperties", text}}}}}}},
       {"functionConfig",
        config_map({{"labels", "${parameters.labels}"},
                    {"fsslice", {{{"path", "spec/labels"}, {"create", true}}}}})}});
  const std::string replacement = policies.add(
      "replacement", {{"functionConfig", config_map({{"replacements", k_replacements}})}});
  // It annotates what it gets and adds an object: no policy.
  const std::string example =
      policies.add("example", {{"functionConfig", config_map({{"value", "hello"}})}});
  world.make_project(project);
  const Json chain =
      Json::array({call(set_labels, {{"labels", {{"team", "payments"}}}}), call(replacement)});
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "dev", "home", world.name("dev"), {{"policies", chain}}),
               virtual_cluster(project, "bad", "home", world.name("bad"),
                               {{"policies", Json::array({call(example)})}})});
  const CommandResult run = run_kubist({"reconcile", "Project/" + project});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  const auto made = get("home", "namespace", world.name("dev"));
  REQUIRE(made);
  CHECK((*made)["metadata"]["labels"]["team"] == "payments");
  CHECK((*made)["metadata"]["labels"]["environment"] == "dev");
  const auto bad = get("home", "virtualclusters.kubist.io", "bad", project);
  CHECK_MESSAGE(message(bad, "Ready").find("it changed items[0].metadata") != std::string::npos,
                message(bad, "Ready"));
  CHECK(!get("home", "namespace", world.name("bad")));

  // Unchanged, it writes nothing.
  Audit audit("home");
  must(run_kubist(world.as_user({"reconcile", "vc/dev", "-n", project})));
  CHECK(audit.writes(world.user()).empty());
}

TEST_CASE("own policies: of a release a rollback by the first is not undone by the last") {
  World world("chain-release");
  const std::string project = world.name();
  Programs programs;
  ExecPolicies policies(world);
  programs.add("go", k_go);
  const std::string go = policies.add("go");
  make_place(world);
  must(run_kubist({"reconcile", "Project/" + project}));  // the project's account reads there
  put("home", {jsonnet(project, "back", k_back),
               object("Destination", project, "shop",
                      {{"virtualClusterRef", {{"name", "dev"}}},
                       {"application", "shop"},
                       {"ports", Json::array({{{"name", "http"}, {"port", 80}}})},
                       {"subsets",
                        {{"v1", {{"labels", {{"version", "v1"}}}}},
                         {"v2", {{"labels", {{"version", "v2"}}}}}}}}),
               object("CanaryRelease", project, "shop",
                      {{"virtualClusterRef", {{"name", "dev"}}},
                       {"destination", "shop"},
                       {"stable", "v1"},
                       {"canary", "v2"},
                       {"routes", Json::array({"shop"})},
                       {"policies",
                        Json::array({call("back"), call(go), call("Timed", {{"step", "0s"}})})}})});
  const Json trace = Json::parse(
      must(run_kubist({"policy", "trace", "canaryrelease/shop", "-n", project, "-o", "json"})));
  const Json& steps = trace["nodes"][0]["policies"];
  REQUIRE(steps.size() == 3);
  CHECK(steps[0]["input"]["items"][1]["kind"] == "ReleaseObservation");
  CHECK(steps[1]["input"]["functionConfig"]["decision"]["action"] == "rollback");
  CHECK(steps[1]["output"]["functionConfig"]["status"]["decision"]["action"] == "advance");
  const Json& last = steps[2]["input"]["functionConfig"]["decision"];
  CHECK(last["action"] == "rollback");
  CHECK(last["by"] == "back");
  const CommandResult shown = run_kubist({"policy", "trace", "canaryrelease/shop", "-n", project});
  CHECK(shown.out.find("decides: advance (Sun)") != std::string::npos);
  CHECK(shown.out.find("together: rollback (Moon): the moon is full, by back") !=
        std::string::npos);
}

TEST_CASE(
    "own policies: a program that hangs, prints rubbish or is not here fails its node alone") {
  World world("bad-exec");
  const std::string project = world.name();
  Programs programs;
  ExecPolicies policies(world);
  programs.add("hangs", "exec sleep 1000", ", timeout: 1s");
  programs.add("rubbish", "echo '<html>'");
  programs.add("changed", "cat", cat(", sha256: '", std::string(64, '0'), "'"));
  world.make_project(project);
  std::vector<Json> nodes{object("Cluster", project, "home", {{"home", true}}),
                          virtual_cluster(project, "good", "home", world.name("good"))};
  for (const char* name : {"hangs", "rubbish", "changed", "nobody"}) {
    nodes.push_back(virtual_cluster(project, name, "home", world.name(name),
                                    {{"policies", Json::array({call(policies.add(name))})}}));
  }
  put("home", nodes);
  const CommandResult run = run_kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  const auto vc = [&](const std::string& name) {
    return get("home", "virtualclusters.kubist.io", name, project);
  };
  CHECK(condition(vc("good"), "Ready") == "True");
  const std::pair<const char*, const char*> said[] = {{"hangs", "took longer than"},
                                                      {"rubbish", "did not return a ResourceList"},
                                                      {"changed", "sha256"},
                                                      {"nobody", "this machine has no program"}};
  for (const auto& [name, part] : said) {
    CAPTURE(name);
    CHECK_MESSAGE(message(vc(name), "Ready").find(part) != std::string::npos,
                  message(vc(name), "Ready"));
    CHECK(!get("home", "namespace", world.name(name)));
  }
}
