// Wrong input: one clear message with its place, the right exit code, and nothing written.
#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "support.hpp"
#include "support/paths.hpp"

namespace {

using namespace it;
using namespace kubist;

struct BadInput {
  std::string name;
  std::string input;                 ///< PROJECT stands for the project's name
  std::vector<std::string> message;  ///< parts of what stderr says; line and column of stdin first
  bool offline = true;               ///< `validate` sees it too: it needs no cluster
};

// Lines 1 to 12 of most cases.
const std::string k_tree = R"(apiVersion: kubist.io/v1alpha1
kind: Project
metadata: {name: PROJECT}
---
apiVersion: kubist.io/v1alpha1
kind: Cluster
metadata: {name: home, namespace: PROJECT}
spec: {home: true}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: innocent, namespace: PROJECT}
---
)";

std::string dev(const std::string& name, const std::string& spec) {
  return util::cat("apiVersion: kubist.io/v1alpha1\nkind: VirtualCluster\nmetadata: {name: ", name,
                   ", namespace: PROJECT}\nspec:\n  clusterRef: {name: home}\n", spec);
}

// Its spec's first own line is 19.
std::string with(const std::string& spec) { return k_tree + dev("dev", spec); }

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

// "a: &a [x, ...]", "b: &b [*a, ...]", ...: a few hundred bytes that would be a billion values.
std::string bomb() {
  std::string text = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char key = 'b'; key <= 'k'; ++key) {
    const std::string alias = util::cat("*", std::string(1, static_cast<char>(key - 1)), " ,");
    std::string all = repeated(alias, 10);
    all.pop_back();
    text += util::cat(std::string(1, key), ": &", std::string(1, key), " [", all, "]\n");
  }
  return text;
}

std::vector<BadInput> broken_text() {
  return {
      {"a flow map that does not end", with("  labels: {a: b\n"), {"stdin:20:1: did not find"}},
      {"a tab", k_tree + "kind: Project\n\tmetadata: x\n", {"stdin:15:1: ", "takes no tabs"}},
      {"an alias of nothing", "a: *nope\n", {"stdin:1:4: alias *nope has no anchor"}},
      {"a key twice",
       with("  create: true\n  create: false\n"),
       {"stdin:20:3: duplicate key \"create\""}},
      {"bad JSON", R"({"kind": "Project",})", {"stdin:1:20: expected a key"}},
      {"a zero byte", k_tree + std::string("kind: Pro\0ject\n", 15), {"stdin:14:10: control"}},
      {"Latin-1", k_tree + "data: {a: caf\xe9}\n", {"stdin:14:", "save the file as UTF-8"}},
      {"a bomb", bomb(), {"expand to more than 200000 values"}},
      {"a deep list",
       "a: " + std::string(200000, '[') + std::string(200000, ']') + "\n",
       {"stdin:1:503: nested deeper than 500 levels"}},
      {"a deep JSON",
       "{\"a\": " + std::string(200000, '[') + std::string(200000, ']') + "}",
       {"stdin:1:", "nested deeper than 500 levels"}},
      {"text", "just text\n", {"stdin:1:1: expected a Kubernetes object, got a text"}},
      {"nothing", "# nothing\n", {"there are no objects in -"}},
      {"no name",
       "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n",
       {"stdin:3:11: ", "no metadata"}},
  };
}

std::vector<BadInput> wrong_objects() {
  const std::string head = "apiVersion: kubist.io/v1alpha1\nkind: ";
  return {
      {"an unknown kind",
       k_tree + head + "VirtualClutser\nmetadata: {name: a, namespace: PROJECT}\n",
       {"stdin:15:7: the group kubist.io has no kind \"VirtualClutser\"",
        "did you mean VirtualCluster?"}},
      {"an unknown kind of another group",
       k_tree + "apiVersion: apps/v1\nkind: Deploymnet\nmetadata: {name: a, namespace: PROJECT}\n",
       {"stdin:15:7: the cluster has no kind Deploymnet in apps/v1",
        "did you mean \"apps/v1/Deployment\"?"},
       false},
      {"an unknown version",
       k_tree + "apiVersion: kubist.io/v1\nkind: Project\nmetadata: {name: a}\n",
       {"stdin:14:13: Project has no version \"v1\""}},
      {"an unknown field",
       with("  injection:\n    mdoe: Sidecar\n"),
       {"stdin:20:5: spec.injection.mdoe: unknown field, did you mean \"mode\"?"}},
      {"a wrong type",
       with("  create: \"yes\"\n"),
       {"stdin:19:11: spec.create: expected boolean, found string \"yes\"", "remove the quotes"}},
      {"a wrong value",
       with("  injection: {mode: Sidecra}\n"),
       {"stdin:19:21: ", "did you mean \"Sidecar\"?"}},
      {"a broken rule",
       with("  executor: {name: VirtualCluster}\n  policyExecutor: {name: VirtualCluster}\n"),
       {"executor and policyExecutor are two names for one field"}},
      {"an object twice",
       k_tree + k_tree,
       {"stdin:14:1: Project/PROJECT is in the input twice, first at stdin:1:1"}},
  };
}

std::vector<BadInput> wrong_calls() {
  const std::string definition = R"(apiVersion: kubist.io/v1alpha1
kind: PolicyDefinition
metadata: {name: scale, namespace: PROJECT}
spec:
  parameters: {type: object, properties: {count: {type: integer}}}
  runtime: {jsonnet: {source: "function(list) list"}}
---
)";
  return {
      {"an unknown executor",
       with("  executor:\n    name: VirtualClutser\n"),
       {"stdin:20:11: ", "unknown executor \"VirtualClutser\"",
        "did you mean \"VirtualCluster\"?"}},
      {"a parameter of a built-in executor, which takes none",
       with("  executor:\n    name: VirtualCluster\n    parameters: {someParam: 1}\n"),
       {"stdin:21:18: ", "unknown parameter \"someParam\": executor VirtualCluster takes none"}},
      {"an unknown policy",
       with("  policies:\n    - name: JsonPach\n"),
       {"stdin:20:13: ", "unknown policy \"JsonPach\", did you mean \"JsonPatch\"?"}},
      {"a policy that is like no other",
       with("  policies: [{name: whatever}]\n"),
       {"stdin:19:21: ", "unknown policy \"whatever\"", "policies here: "},
       false},
      {"a wrong parameter of a built-in policy",
       with("  policies:\n    - name: JsonPatch\n      parameters: {labels: 7}\n"),
       {"stdin:21:28: ", "labels: expected object, found integer 7"}},
      {"an unknown parameter",
       with("  policies:\n    - name: TimedWindow\n      parameters: {windwos: []}\n"),
       {"stdin:21:20: ", "windwos: unknown field, did you mean \"windows\"?"}},
      {"a wrong parameter of a policy in the same input",
       definition + with("  policies:\n    - name: scale\n      parameters: {count: many}\n"),
       {"stdin:28:27: ", "count: expected integer, found string \"many\""}},
      {"a missing parent",
       k_tree + "apiVersion: kubist.io/v1alpha1\nkind: VirtualCluster\n"
                "metadata: {name: dev, namespace: PROJECT}\nspec: {clusterRef: {name: hmoe}}\n",
       {"stdin:17:", "there is no Cluster/hmoe in namespace \"PROJECT\"",
        "did you mean Cluster/home?"}},
      {"no project", dev("dev", ""), {"there is no Cluster/home"}, false},
      {"a cycle",
       k_tree + dev("a", "  dependsOn: [VirtualCluster/b]\n---\n") +
           dev("b", "  dependsOn: [VirtualCluster/c]\n---\n") +
           dev("c", "  dependsOn: [VirtualCluster/a]\n"),
       {"VirtualCluster/a -> VirtualCluster/b -> VirtualCluster/c -> VirtualCluster/a"}},
  };
}

void check(const World& world, const BadInput& wrong) {
  CAPTURE(wrong.name);
  const std::string input = util::replace_all(wrong.input, "PROJECT", world.name());
  for (const std::string verb : {"validate", "apply", "reconcile"}) {
    if (verb == "validate" && !wrong.offline) {
      continue;
    }
    CAPTURE(verb);
    const CommandResult result = run_kubist(world.as_user({verb, "-f", "-"}), input);
    CHECK_MESSAGE(result.exit_code == 1, result.out, result.err);
    CHECK(result.out == "");
    for (const std::string& part : wrong.message) {
      CHECK_MESSAGE(
          result.err.find(util::replace_all(part, "PROJECT", world.name())) != std::string::npos,
          part, "\nis not in\n", result.err.substr(0, 2000));
    }
    CHECK(result.err.size() < 1000);  // clear, not a page
  }
}

}  // namespace

TEST_CASE("bad input: each has its message and its place, and nothing is written") {
  World world("bad-input");
  Audit audit("home");
  for (const auto& cases : {broken_text(), wrong_objects(), wrong_calls()}) {
    for (const BadInput& wrong : cases) {
      check(world, wrong);
    }
  }
  std::size_t reads = 0;
  const auto writes = audit.writes(world.user(), &reads);
  CHECK_MESSAGE(writes.empty(), writes.size());
  CHECK(reads > 0);  // the commands did reach the cluster
}

TEST_CASE("bad input: an unknown field of any kind is found before the first write") {
  World world("bad-field");
  const std::string project = world.name();
  const std::string group = project + ".example.com";
  const std::string crd = util::cat(
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: "
      "things.",
      group, "}\nspec:\n  group: ", group,
      "\n  scope: Namespaced\n  names: {kind: Thing, plural: things, singular: thing}\n  "
      "versions:\n"
      "  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n"
      "        type: object\n        properties:\n          spec:\n            type: object\n"
      "            properties:\n              size: {x-kubernetes-int-or-string: true}\n"
      "              any: {type: object, x-kubernetes-preserve-unknown-fields: true}\n"
      "              map: {type: object, additionalProperties: {type: object, properties: {a: "
      "{type: string}}}}\n---\n");
  const std::string thing =
      util::cat("apiVersion: ", group, "/v1\nkind: Thing\nmetadata: {name: t, namespace: ", project,
                "}\nspec:\n  size: 5\n  any: {x: {y: z}}\n  map: {k: {a: b}}\n");
  const std::string good = util::cat("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: innocent, ",
                                     "namespace: ", project, "}\n---\n");
  const std::string config_map = util::cat(
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: ", project,
      "\n  lables: {a: b}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: ",
      project, "}\ndta: {a: b}\n");
  const auto refuse = [&](const std::string& input, const Words& messages) {
    for (const std::string verb : {"apply", "reconcile", "diff"}) {
      CAPTURE(verb);
      Audit audit("home");
      const CommandResult result = run_kubist(world.as_user({verb, "-f", "-"}), input);
      CHECK(result.exit_code == (verb == "diff" ? 70 : 1));
      for (const std::string& message : messages) {
        CHECK_MESSAGE(result.err.find(message) != std::string::npos, message, "\n", result.err);
      }
      CHECK(audit.writes(world.user()).empty());
    }
  };
  const std::string project_yaml = util::cat(
      "apiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata: {name: ", project, "}\n---\n");
  const Words fields{"stdin:6:3: metadata.lables: unknown field, did you mean \"labels\"?",
                     "stdin:11:1: dta: unknown field, did you mean \"data\"?"};
  SUBCASE("in a namespace that is still to be made") {
    refuse(config_map, fields);
    refuse(project_yaml + good + crd + thing + "  siez: 5\n", {"spec.siez: unknown field"});
    CHECK(!get("home", "namespace", project));
  }
  SUBCASE("in one that is there, of a kind that is there") {
    world.make_project(project);
    refuse(config_map, fields);
    const CommandResult applied = run_kubist({"apply", "-f", "-"}, crd + thing);
    CHECK_MESSAGE(applied.exit_code == 0, applied.err);
    REQUIRE(eventually([&] {
      return must(kubectl("home", {"get", "--raw", "/openapi/v3"})).find(group + "/v1") !=
             std::string::npos;
    }));
    refuse(good + thing + "  mapp: {}\n", {"spec.mapp: unknown field"});
    CHECK(!get("home", "configmap", "innocent", project));
    // The CRD learns a field that the cache does not know: the server has the last word.
    must(run_kubist({"apply", "-f", "-"},
                    util::replace_all(crd, "              any:",
                                      "              mapp: {type: string}\n              any:")));
    REQUIRE(eventually([&] {
      return kubectl("home", {"apply", "--server-side", "--dry-run=server", "-f", "-"},
                     thing + "  mapp: x\n")
                 .exit_code == 0;
    }));
    const CommandResult again = run_kubist({"apply", "-f", "-"}, thing + "  mapp: x\n");
    CHECK_MESSAGE(again.exit_code == 0, again.err);
  }
  kubectl("home", {"delete", "crd", "things." + group, "--ignore-not-found", "--wait=false"});
}

TEST_CASE("bad input: --report says why the input is refused") {
  const World world("bad-report");
  const std::string input = util::replace_all(with("  createe: true\n"), "PROJECT", world.name());
  for (const std::string verb : {"apply", "reconcile", "validate"}) {
    CAPTURE(verb);
    const auto report = [&](const std::string& form, const std::string& text) {
      const CommandResult run =
          run_kubist(world.as_user({verb, "-f", "-", "--report", form}), text);
      CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
      return run.out;
    };
    const std::string junit = report("junit", input);
    CHECK_MESSAGE(junit.find("tests=\"1\" failures=\"1\" errors=\"0\"") != std::string::npos,
                  junit);
    CHECK_MESSAGE(junit.find("file=\"stdin\" line=\"19\"><failure type=\"Invalid\" "
                             "message=\"spec.createe: unknown") != std::string::npos,
                  junit);
    const Json json = Json::parse(report("json", input), nullptr, false);
    REQUIRE(json.is_object());
    CHECK(json["ok"] == false);
    REQUIRE(json["errors"].size() == 1);
    CHECK(json["errors"][0]["line"] == 19);
    CHECK(report("github", input)
              .starts_with(util::cat("::error file=stdin,line=19,col=3,title=kubist ", verb,
                                     "%3A Invalid::spec.createe: ")));
    CHECK(report("github", "a: [").starts_with("::error file=stdin,line="));
  }
}

TEST_CASE("bad input: usage errors are 64, whatever the command") {
  for (const Words& words :
       {Words{"apply"}, Words{"reconcile", "--no-such-flag"}, Words{"validate", "-f"},
        Words{"frobnicate"}, Words{"apply", "-f", "-", "--dry-run=maybe"}}) {
    CAPTURE(util::join(words, " "));
    const CommandResult result = run_kubist(words, "");
    CHECK_MESSAGE(result.exit_code == 64, result.out, result.err);
    CHECK(result.out == "");
    CHECK(result.err != "");
  }
}

TEST_CASE("bad input: a huge document is refused in bounded memory") {
  // 300 MB would be read, were it not for the limit; the address space allows for the limit alone.
  const std::string program = kubist::paths::program();
  for (const std::string verb : {"validate", "apply"}) {
    CAPTURE(verb);
    util::Command command;
    command.args = {"sh", "-c",
                    util::cat("ulimit -v 1500000; head -c 300000000 /dev/zero | tr '\\0' a | ",
                              program, " ", verb, " -f -")};
    const auto result = util::run_command(command);
    REQUIRE(result);
    CHECK_MESSAGE(result->exit_code == 1, result->exit_code, result->err);
    CHECK(result->err.find("the input is larger than 256 MiB") != std::string::npos);
  }
}
