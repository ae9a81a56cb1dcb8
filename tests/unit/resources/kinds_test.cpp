#include <set>

#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::resources;

TEST_CASE("kinds: found by every word, printed in full") {
  for (auto word : {"vc", "kvc", "VirtualCluster", "virtualclusters", "virtual-cluster",
                    "virtualclusters.kubist.io", "virtualclusters.v1alpha1.kubist.io"}) {
    CAPTURE(word);
    const Kind* kind = find_kind_by_word(word);
    REQUIRE(kind != nullptr);
    CHECK(kind->name == "VirtualCluster");
  }
  CHECK(find_kind_by_word("di")->name == "DeployItem");
  CHECK(find_kind_by_word("pods") == nullptr);
  CHECK(find_kind_by_word("") == nullptr);
  CHECK(find_kind("kubist.io", "DeployItem") == nullptr);
}

TEST_CASE("kinds: no word means two kinds, and none shadows a usual one") {
  std::set<std::string> seen;
  for (const std::string& word : kind_words()) {
    CAPTURE(word);
    CHECK(find_kind_by_word(word) != nullptr);
    seen.insert(word);
  }
  for (const Kind& kind : kinds()) {
    CHECK(find_kind_by_word(kind.short_name) == &kind);
    CHECK(find_kind_by_word(kind.plural) == &kind);
  }
  for (auto taken : {"po", "svc", "vs", "gw", "cm", "ns", "deploy", "job"}) {
    CHECK(seen.count(taken) == 0);
  }
}

TEST_CASE("kinds: definitions are those of policies and executors, of kubist's group") {
  const auto is = [](const char* group, std::string_view kind) {
    return is_definition({{"apiVersion", util::cat(group, "/v1alpha1")}, {"kind", kind}});
  };
  for (const Kind& kind : kinds()) {
    CHECK(is("kubist.io", kind.name) == kind.name.ends_with("Definition"));
  }
  CHECK_FALSE(is("apiextensions.k8s.io", "PolicyDefinition"));
}

TEST_CASE("kinds: parents come before their children") {
  for (const Kind& kind : kinds()) {
    if (kind.node && !kind.parent.empty()) {
      CHECK(kind_order(k_kubist_group, kind.parent) < kind_order(kind.group, kind.name));
    }
  }
}

TEST_CASE("kinds: spec accessors know aliases and defaults") {
  auto object = test::yaml(R"(
apiVersion: kubist.io/v1alpha1
kind: Execution
metadata: {name: e, namespace: shop}
spec:
  policyExecutor: {name: Mine, parameters: {a: 1}}
  policies: [{name: P1}, {name: P2, parameters: {b: 2}}]
  dependsOn: [Cluster/eu, wrong, Project/shop]
  virtualClusterRef: {name: dev}
  imports: [{name: x, executionRef: {name: other, export: y}}]
  suspend: true
)");
  REQUIRE(executor_of(object));
  CHECK(executor_of(object)->name == "Mine");
  CHECK(executor_of(object)->parameters == data::Json{{"a", 1}});
  REQUIRE(policies_of(object).size() == 2);
  CHECK(policies_of(object)[0].parameters == data::Json::object());
  CHECK(is_suspended(object));
  CHECK(depends_on(object) == std::vector<ObjectRef>{{"kubist.io", "Cluster", "shop", "eu"},
                                                     {"kubist.io", "Project", "", "shop"}});
  CHECK(parent_of(object) == ObjectRef{"kubist.io", "VirtualCluster", "shop", "dev"});
  CHECK(references_of(object).back() == ObjectRef{"kubist.io", "Execution", "shop", "other"});
}

TEST_CASE("kinds: parents of the tree") {
  auto parent = [](std::string_view text) { return parent_of(test::yaml(text)); };
  CHECK(parent("{apiVersion: kubist.io/v1alpha1, kind: Root, metadata: {name: root}}") ==
        std::nullopt);
  CHECK(parent("{apiVersion: kubist.io/v1alpha1, kind: Project, metadata: {name: p}}") ==
        ObjectRef{"kubist.io", "Root", "", "root"});
  CHECK(parent("{apiVersion: kubist.io/v1alpha1, kind: Cluster, metadata: {name: c}}") ==
        ObjectRef{"kubist.io", "Project", "", ""});
  CHECK(parent("{apiVersion: kubist.io/v1alpha1, kind: PolicyDefinition, metadata: {name: c}}") ==
        std::nullopt);
}

TEST_CASE("kinds: namespaces of projects and virtual clusters") {
  auto project = test::yaml("{metadata: {name: shop}}");
  CHECK(project_namespace(project) == "shop");
  CHECK(project_home_patterns(project) == std::vector<std::string>{"shop", "shop-*"});
  project = test::yaml("{metadata: {name: shop}, spec: {namespace: s, home: {namespaces: [x-*]}}}");
  CHECK(project_namespace(project) == "s");
  CHECK(project_home_patterns(project) == std::vector<std::string>{"s", "x-*"});
  CHECK(virtual_cluster_namespace(test::yaml("{metadata: {name: dev}}")) == "dev");
}
