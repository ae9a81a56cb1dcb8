#include <kubist/resources/execution_items.hpp>
#include <kubist/resources/validate.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::resources;

namespace {

std::vector<util::Error> check(std::string_view text, const ValidateContext& context = {}) {
  auto set = read_manifest_text(text, "f.yaml");
  REQUIRE_MESSAGE(set.errors.empty(), (set.errors.empty() ? "" : set.errors[0].to_string()));
  return validate(set.manifests, context);
}

std::string all(const std::vector<util::Error>& errors) {
  std::string text;
  for (const util::Error& error : errors) {
    CHECK(error.kind == util::ErrorKind::invalid);
    CHECK(error.pos.line > 0);
    text += error.to_string() + "\n";
  }
  return text;
}

bool has(const std::string& text, std::string_view piece) {
  return text.find(piece) != std::string::npos;
}

constexpr std::string_view k_tree = R"(apiVersion: kubist.io/v1alpha1
kind: Project
metadata: {name: shop}
---
apiVersion: kubist.io/v1alpha1
kind: Cluster
metadata: {name: eu, namespace: shop}
spec: {home: true}
---
apiVersion: kubist.io/v1alpha1
kind: VirtualCluster
metadata: {name: dev, namespace: shop}
spec:
  clusterRef: {name: eu}
---
apiVersion: kubist.io/v1alpha1
kind: Execution
metadata: {name: seed, namespace: shop}
spec:
  virtualClusterRef: {name: dev}
  items:
    - {name: a, type: Script, script: "true"}
)";

/// Says that nothing exists outside the input.
ValidateContext nothing_exists() {
  ValidateContext context;
  context.exists = [](const ObjectRef&) { return std::optional(false); };
  return context;
}

}  // namespace

TEST_CASE("validate: a sound tree has no problems") {
  CHECK(all(check(k_tree, nothing_exists())) == "");
}

TEST_CASE("validate: the seed's executor and policies") {
  CHECK(all(check(R"(apiVersion: kubist.io/v1alpha1
kind: Project
metadata: {name: shop}
spec:
  executor:
      name: SomeExecutor
      parameters:
        someParam: someValue1
  policies:
    - name: SomePolicy1
      parameters:
        someParam: someValue2
    - name: SomePolicy2
      parameters:
        someParam: someValue 3
)")) == "");
}

TEST_CASE("validate: every problem with its place and the nearest known name") {
  std::string text = all(check(R"(apiVersion: kubist.io/v1alpha1
kind: VirtualCluster
metadata:
  name: dev
  lables: {a: b}
spec:
  clusterRef: {nam: eu}
  suspended: true
  create: "yes"
  injection: {mode: Sidecars}
)"));
  CHECK(has(text, "f.yaml:5:3: "));
  CHECK(has(text, "labels"));
  CHECK(has(text, "f.yaml:7:16: "));
  CHECK(has(text, "f.yaml:8:3: "));
  CHECK(has(text, "suspend"));
  CHECK(has(text, "f.yaml:9:11: "));
  CHECK(has(text, "f.yaml:10:21: "));
  CHECK(text.find("f.yaml:5:") < text.find("f.yaml:10:"));
}

TEST_CASE("validate: kinds and versions that do not exist") {
  std::string text =
      all(check("apiVersion: kubist.io/v1alpha1\nkind: Clutser\nmetadata: {name: a}\n"));
  CHECK(has(text, "f.yaml:2:7: the group kubist.io has no kind \"Clutser\""));
  CHECK(has(text, "did you mean Cluster?"));
  text = all(check("apiVersion: kubist.io/v1\nkind: Cluster\nmetadata: {name: a}\n"));
  CHECK(has(text, "f.yaml:1:13: Cluster has no version \"v1\""));
  text = all(check("apiVersion: kubist.io/v1alpha1\nkind: DeployItem\nmetadata: {name: a}\n"));
  CHECK(has(text, "landscaper.gardener.cloud/v1alpha1"));
  CHECK(check("apiVersion: example.com/v1\nkind: Clutser\nmetadata: {name: a}\n").empty());
}

TEST_CASE("validate: rules say what the server would") {
  std::string text = all(check(
      "apiVersion: kubist.io/v1alpha1\nkind: Cluster\nmetadata: {name: a}\nspec: {home: false}\n"));
  CHECK(has(text, "f.yaml:4:7: spec: exactly one of kubeconfigSecretRef and home: true"));
}

TEST_CASE("validate: labels and annotations") {
  std::string text = all(check(R"(apiVersion: kubist.io/v1alpha1
kind: Project
metadata:
  name: shop
  labels: {"a b": c, d: "e f"}
  annotations: {"/x": "any thing"}
)"));
  CHECK(has(text, "the key \"a b\""));
  CHECK(has(text, "the value of \"d\""));
  CHECK(has(text, "the key \"/x\""));
}

TEST_CASE("validate: a missing parent is an error only where the lookup says so") {
  std::string orphan =
      "apiVersion: kubist.io/v1alpha1\nkind: VirtualCluster\nmetadata: {name: dev, namespace: "
      "shop}\nspec:\n  clusterRef: {name: ue}\n";
  CHECK(check(orphan).empty());
  ValidateContext context;
  std::vector<std::string> asked;
  context.exists = [&](const ObjectRef& ref) {
    asked.push_back(to_key(ref));
    return std::optional<bool>();
  };
  CHECK(check(orphan, context).empty());
  CHECK(asked == std::vector<std::string>{"Cluster.kubist.io/shop/ue"});
  context.exists = [](const ObjectRef&) { return std::optional(true); };
  CHECK(check(orphan, context).empty());
  std::string text = all(check(orphan, nothing_exists()));
  CHECK(has(text, "f.yaml:5:22: VirtualCluster/dev: there is no Cluster/ue in namespace \"shop\""));
  text = all(check(std::string(k_tree) + "---\n" + orphan, nothing_exists()));
  CHECK(has(text, "did you mean Cluster/eu?"));
}

TEST_CASE("validate: a namespace that no Project owns") {
  std::string text = all(check(
      "apiVersion: kubist.io/v1alpha1\nkind: Cluster\nmetadata: {name: a, namespace: lost}\nspec: "
      "{home: true}\n",
      nothing_exists()));
  CHECK(has(text, "no Project owns the namespace \"lost\""));
  ValidateContext context = nothing_exists();
  context.default_namespace = "shop";
  CHECK(check(R"(apiVersion: kubist.io/v1alpha1
kind: Cluster
metadata: {name: eu}
spec: {home: true, dependsOn: [Project/p]}
---
apiVersion: kubist.io/v1alpha1
kind: Project
metadata: {name: p}
spec: {namespace: shop}
)",
              context)
            .empty());
}

TEST_CASE("validate: cycles are printed as cycles") {
  std::string text = all(check(R"(apiVersion: kubist.io/v1alpha1
kind: Cluster
metadata: {name: a, namespace: shop}
spec: {home: true, dependsOn: [Cluster/b]}
---
apiVersion: kubist.io/v1alpha1
kind: Cluster
metadata: {name: b, namespace: shop}
spec: {home: true, dependsOn: [VirtualCluster/v]}
---
apiVersion: kubist.io/v1alpha1
kind: VirtualCluster
metadata: {name: v, namespace: shop}
spec: {clusterRef: {name: a}}
)"));
  CHECK(has(text, "Cluster/a -> Cluster/b -> VirtualCluster/v -> Cluster/a"));
  CHECK(text.find("wait for each other") == text.rfind("wait for each other"));
  text = all(
      check("apiVersion: kubist.io/v1alpha1\nkind: Cluster\nmetadata: {name: a, namespace: shop}\n"
            "spec: {home: true, dependsOn: [Cluster/a]}\n"));
  CHECK(has(text, "Cluster/a -> Cluster/a"));
}

TEST_CASE("validate: items that wait for what is not there, or for each other") {
  const auto execution = [](const std::string& more) {
    return R"(apiVersion: kubist.io/v1alpha1
kind: Execution
metadata: {name: seed, namespace: shop}
spec:
  items:
    - {name: load, type: Script, script: "true"}
)" + more;
  };
  CHECK(all(check(execution(R"(    - name: check
      type: Script
      script: "true"
      dependsOn: [load]
  exports:
    - {name: a, item: check}
)"))) == "");
  CHECK(all(check(execution(R"(    - name: check
      type: Script
      script: "true"
      dependsOn: [load, laod]
  exports:
    - {name: a, item: chek}
)"))) == "f.yaml:10:25: Execution/seed: item check depends on item laod, which does not exist, did "
         "you mean \"load\"?\n  items here: load, check\n"
         "f.yaml:12:23: Execution/seed: export a comes from item chek, which does not exist, did "
         "you mean \"check\"?\n  items here: load, check\n");
  CHECK(
      all(check(execution(R"(    - {name: a, type: Script, script: "true", dependsOn: [b, load]}
    - {name: b, type: Script, script: "true", dependsOn: [c]}
    - {name: c, type: Script, script: "true", dependsOn: [a]}
    - {name: d, type: Script, script: "true", dependsOn: [d]}
)"))) ==
      "f.yaml:9:59: Execution/seed: these items wait for each other: a -> b -> c -> a\n  take one "
      "of these dependencies away\n"
      "f.yaml:10:59: Execution/seed: these items wait for each other: d -> d\n  take one of these "
      "dependencies away\n");
}

TEST_CASE("validate: of items that wait for many that are not there, the first problems are told") {
  data::Json spec;
  spec["items"][0]["name"] = "a";
  spec["items"][1]["name"] = "b";
  for (int i = 0; i < 5000; ++i) {
    spec["items"][0]["dependsOn"].push_back("u" + std::to_string(i));
    spec["items"][1]["dependsOn"].push_back("b");
  }
  const auto missing = item_problems(spec);
  REQUIRE(missing.size() == 100);
  CHECK(missing.front().message == "item a depends on item u0, which does not exist");
  CHECK(missing.back().pointer == "/items/0/dependsOn/99");
  spec["items"].erase(0);
  CHECK(item_problems(spec).size() == 100);
}

TEST_CASE("validate: executor and policy names are asked for") {
  ValidateContext context;
  std::vector<std::string> asked;
  auto unknown = [&](const CallSite& site) {
    asked.push_back(std::string(site.kind) + ":" + site.call.name);
    std::vector<util::Error> errors;
    errors.push_back(
        util::make_error(util::ErrorKind::invalid, "unknown name \"" + site.call.name + "\""));
    errors.push_back(util::make_error(util::ErrorKind::invalid,
                                      site.positions("/parameters/x", data::At::value),
                                      "x must be a number"));
    return errors;
  };
  context.check_executor = unknown;
  context.check_policy = unknown;
  std::string text = all(check(R"(apiVersion: kubist.io/v1alpha1
kind: PolicyDefinition
metadata: {name: mine, namespace: shop}
spec: {runtime: {jsonnet: {source: "function(x) x"}}}
---
apiVersion: kubist.io/v1alpha1
kind: Cluster
metadata: {name: a, namespace: shop}
spec:
  home: true
  policyExecutor: {name: Ex}
  policies:
    - {name: mine}
    - name: Theirs
      parameters:
        x: y
)",
                               context));
  CHECK(asked == std::vector<std::string>{"Cluster:Ex", "Cluster:mine", "Cluster:Theirs"});
  CHECK(has(text, "f.yaml:11:26: Cluster/a: unknown name \"Ex\""));
  CHECK(has(text, "f.yaml:14:13: Cluster/a: unknown name \"Theirs\""));
  CHECK(has(text, "f.yaml:16:12: Cluster/a: x must be a number"));
}

TEST_CASE("validate: imposed policies are asked for, too, without a namespace; kinds are spelled") {
  ValidateContext context;
  std::vector<std::string> asked;
  context.check_policy = [&](const CallSite& site) {
    asked.push_back(std::string(site.ns) + ":" + site.call.name);
    return std::vector<util::Error>{};
  };
  const std::string text = all(check(R"(apiVersion: kubist.io/v1alpha1
kind: Project
metadata: {name: shop}
spec:
  impose:
    - kinds: [Execution, Cache]
      policies: [{name: one}, {name: two}]
    - kinds: [Executions]
      policies: [{name: three}]
)",
                                     context));
  CHECK(asked == std::vector<std::string>{":one", ":two", ":three"});
  CHECK(text == "f.yaml:8:15: unknown kind \"Executions\", did you mean \"Execution\"?\n");
}

TEST_CASE("validate: one object twice") {
  std::string project = "apiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata: {name: shop}\n";
  std::string text = all(check(project + "---\n" + project));
  CHECK(has(text, "f.yaml:5:1: Project/shop is in the input twice, first at f.yaml:1:1"));
}

TEST_CASE("validate: an update is held to the transition rules") {
  auto set = read_manifest_text(
      "apiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata: {name: shop}\nspec: {namespace: "
      "b}\n",
      "f.yaml");
  REQUIRE(set.manifests.size() == 1);
  data::Json old = test::yaml("{metadata: {name: shop}, spec: {namespace: a}}");
  CHECK(validate_object(set.manifests[0]).empty());
  CHECK(has(all(validate_object(set.manifests[0], &old)), "spec.namespace: spec.namespace cannot"));
}

TEST_CASE("validate: the examples") {
  ManifestOptions recursive;
  recursive.recursive = true;
  auto set = read_manifests({kubist::paths::source_dir() + "/examples"}, recursive);
  CHECK(all(set.errors) == "");
  CHECK(set.manifests.size() >= 5);
  CHECK(all(validate(set.manifests, nothing_exists())) == "");
}
