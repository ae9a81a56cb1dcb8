// Kinds of users' own, which ExecutorDefinitions serve.
#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "credentials.hpp"
#include "support.hpp"

namespace {

using namespace it;
using kubist::util::cat;

constexpr const char* k_status = "x-kubernetes-preserve-unknown-fields: true";

/// A namespaced kind Cache in a group of its own; gone with it.
class CacheKind {
 public:
  explicit CacheKind(std::string group, const std::string& status = k_status)
      : m_group(std::move(group)) {
    put("home", {yaml(cat("apiVersion: apiextensions.k8s.io/v1\n"
                          "kind: CustomResourceDefinition\n"
                          "metadata: {name: caches.",
                          m_group, "}\nspec:\n  group: ", m_group, R"(
  scope: Namespaced
  names: {kind: Cache, plural: caches, singular: cache, listKind: CacheList}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer}
                virtualClusterRef: {type: object, properties: {name: {type: string}}}
                dependsOn: {type: array, items: {type: string}}
            status: {type: object, )",
                          status, "}\n"))});
    must(kubectl("home", {"wait", "--for=condition=established", "crd/caches." + m_group}));
  }
  ~CacheKind() {
    kubectl("home", {"delete", "executordefinitions.kubist.io", name(), "--ignore-not-found"});
    kubectl("home", {"delete", "crd", "caches." + m_group, "--ignore-not-found", "--wait=false"});
  }
  CacheKind(const CacheKind&) = delete;
  CacheKind& operator=(const CacheKind&) = delete;

  std::string name() const { return m_group.substr(0, m_group.find('.')); }
  std::string plural() const { return "caches." + m_group; }
  /// An executor that keeps one ConfigMap with the size.
  void serve() const {
    const char* const source = R"(function(list) list {
      items: [list.items[0], {
        apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: list.items[0].metadata.name },
        data: { size: std.toString(list.items[0].spec.size) } }] })";
    put("home", {{{"apiVersion", "kubist.io/v1alpha1"},
                  {"kind", "ExecutorDefinition"},
                  {"metadata", {{"name", name()}}},
                  {"spec",
                   {{"serves", {{"apiVersion", m_group + "/v1"}, {"kind", "Cache"}}},
                    {"runtime", {{"jsonnet", {{"source", source}}}}}}}}});
  }
  Json cache(const std::string& ns, const std::string& name, int size, Json more = {}) const {
    Json spec{{"size", size}, {"virtualClusterRef", {{"name", "dev"}}}};
    spec.update(more.is_null() ? Json::object() : more);
    return {{"apiVersion", m_group + "/v1"},
            {"kind", "Cache"},
            {"metadata", {{"name", name}, {"namespace", ns}}},
            {"spec", spec}};
  }

 private:
  std::string m_group;
};

std::string size_of(const std::string& name, const std::string& ns) {
  const auto made = get("home", "configmap", name, ns);
  return made ? (*made)["data"].value("size", "") : "none";
}

}  // namespace

TEST_CASE("served kinds: objects of a custom kind are nodes of the tree") {
  World world("served");
  const std::string project = world.name();
  const std::string dev = world.name("dev");
  make_place(world);
  const CacheKind kind(cat(project, ".example.com"));
  const std::string one = cat("Cache.", project, ".example.com/one");
  put("home",
      {kind.cache(project, "one", 1), kind.cache(project, "two", 2, {{"dependsOn", {one}}})});
  must(run_kubist({"reconcile", "Project/" + project}));
  CHECK(size_of("one", dev) == "none");  // nobody serves it yet

  kind.serve();
  must(run_kubist({"reconcile", "Project/" + project}));
  CHECK(size_of("one", dev) == "1");
  CHECK(size_of("two", dev) == "2");
  const auto live = get("home", kind.plural(), "one", project);
  CHECK(condition(live, "Ready") == "True");
  CHECK((*live)["status"]["inventory"].size() == 1);
  const std::string tree = must(run_kubist({"tree", "Project/" + project}));
  CHECK_MESSAGE(tree.find("Cache/one") != std::string::npos, tree);

  // Unchanged, nothing is written; by name it is looked at alone.
  Audit audit("home");
  must(run_kubist(world.as_user({"reconcile", "Project/" + project})));
  CHECK(audit.writes(world.user()).empty());
  put("home", {kind.cache(project, "one", 10)});
  must(run_kubist({"reconcile", one, "-n", project}));
  CHECK(size_of("one", dev) == "10");

  // From a file, and with what it would do told before.
  const std::string file = kind.cache(project, "three", 3).dump();
  const std::string planned = must(run_kubist({"reconcile", "--dry-run=server", "-f", "-"}, file));
  CHECK_MESSAGE(planned.find("Cache/three on dev  Ready    1 write") != std::string::npos, planned);
  CHECK(size_of("three", dev) == "none");
  must(run_kubist({"reconcile", "-f", "-"}, file));
  CHECK(size_of("three", dev) == "3");

  // It goes with what was made for it, and the rest with the project.
  must(run_kubist({"delete", kind.plural(), "three", "-n", project}));
  CHECK(size_of("three", dev) == "none");
  CHECK(!get("home", kind.plural(), "three", project));
  must(run_kubist(as_administrator({"delete", "project", project})));
  CHECK(!get("home", kind.plural(), "one", project));
  CHECK(size_of("one", dev) == "none");
}

TEST_CASE("served kinds: a watch sees a definition, an object and drift as they come") {
  World world("served-watch");
  const std::string project = world.name();
  const std::string dev = world.name("dev");
  make_place(world);
  must(run_kubist({"reconcile", "Project/" + project}));
  const CacheKind kind(cat(project, ".example.com"));
  const Background watch({"reconcile", "Project/" + project, "--watch"});
  put("home", {kind.cache(project, "early", 1)});
  kind.serve();
  CHECK_MESSAGE(eventually([&] { return size_of("early", dev) == "1"; }), watch.output());
  put("home", {kind.cache(project, "late", 2)});
  CHECK_MESSAGE(eventually([&] { return size_of("late", dev) == "2"; }), watch.output());
  // The run that made it is over: only the watch can see what changes now.
  REQUIRE_MESSAGE(eventually([&] {
                    return condition(get("home", kind.plural(), "late", project), "Ready") ==
                           "True";
                  }),
                  watch.output());
  must(kubectl("home", {"patch", "configmap", "late", "-n", dev, "--type=merge", "-p",
                        R"({"data":{"size":"100"}})"}));
  CHECK_MESSAGE(eventually([&] { return size_of("late", dev) == "2"; }), watch.output());
  must(kubectl("home", {"delete", kind.plural(), "late", "-n", project, "--wait=false"}));
  CHECK_MESSAGE(eventually([&] { return size_of("late", dev) == "none"; }), watch.output());
  must(run_kubist(as_administrator({"delete", "project", project})));
}

TEST_CASE("served kinds: what cannot be served says why, and nothing else notices") {
  World world("served-not");
  const std::string project = world.name();
  make_place(world);
  const CacheKind kind(cat(project, ".example.com"), "properties: {phase: {type: string}}");
  kind.serve();
  put("home", {kind.cache(project, "one", 1)});
  const auto run = run_kubist({"reconcile", "Project/" + project, "--timeout=10s"});
  CHECK(run.exit_code != 0);
  const std::string told = run.out + run.err;
  CHECK_MESSAGE(
      told.find("for its CRD it has an unknown field \"status.inventory\"") != std::string::npos,
      told);
  CHECK(size_of("one", world.name("dev")) == "none");
  CHECK(condition(get("home", "virtualclusters.kubist.io", "dev", project), "Ready") == "True");

  must(run_kubist({"delete", kind.plural(), "one", "-n", project}));
  must(kubectl("home", {"delete", "crd", kind.plural()}));
  const auto left = run_kubist({"reconcile", "Project/" + project, "--timeout=10s"});
  CHECK_MESSAGE(
      left.err.find(cat("ExecutorDefinition/", kind.name(), " serves Cache.")) != std::string::npos,
      left.err);
}
