// Executors that administrators bring: functions that say which objects shall exist for a resource.
#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/util/text.hpp>

#include "programs.hpp"
#include "support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace fs = std::filesystem;

/// ExecutorDefinitions; gone with it.
class Executors {
 public:
  Executors() = default;
  ~Executors() {
    for (const std::string& name : m_names) {
      remove(name);
    }
  }
  Executors(const Executors&) = delete;
  Executors& operator=(const Executors&) = delete;

  void add(const std::string& name, const Json& runtime, Json more = Json::object()) {
    m_names.push_back(name);
    more["runtime"] = runtime;
    put("home", {{{"apiVersion", "kubist.io/v1alpha1"},
                  {"kind", "ExecutorDefinition"},
                  {"metadata", {{"name", name}}},
                  {"spec", std::move(more)}}});
  }
  static void remove(const std::string& name) {
    static_cast<void>(kubectl("home", {"delete", "executordefinitions.kubist.io", name,
                                       "--ignore-not-found", "--wait=false"}));
  }

 private:
  std::vector<std::string> m_names;
};

Json jsonnet(const std::string& source) { return {{"jsonnet", {{"source", source}}}}; }

Json external(const std::string& ns, const std::string& name, const std::string& executor,
              Json parameters = Json::object()) {
  Json spec{{"virtualClusterRef", {{"name", "dev"}}},
            {"hosts", {"api.example.com"}},
            {"ports", {{{"number", 443}, {"name", "https"}, {"protocol", "TLS"}}}}};
  if (!executor.empty()) {
    spec["executor"] = {{"name", executor}, {"parameters", std::move(parameters)}};
  }
  return object("ExternalService", ns, name, std::move(spec));
}

const Json k_text{{"type", "string"}};

// Keeps one ConfigMap of each name, and counts its runs.
const char* const k_config_maps = R"(function(list)
  local config = list.functionConfig;
  {
    apiVersion: list.apiVersion,
    kind: list.kind,
    items: [list.items[0]] + [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: name,
          labels: { made: 'here' },
          annotations: { 'config.kubernetes.io/path': 'a.yaml' },
        },
        data: { hosts: std.join(' ', list.items[0].spec.hosts), where: config.target.namespace },
      }
      for name in config.parameters.names
    ],
    results: [{ severity: 'info', message: 'one for each name' }],
    functionConfig: config {
      status: { state: { names: config.parameters.names }, requeueAfter: '1h' },
    },
  })";

}  // namespace

TEST_CASE("own executors: what a function returns is kept, pruned and taken away") {
  World world("function");
  const std::string project = world.name();
  const std::string dev = world.name("dev");
  Executors executors;
  executors.add(
      world.name("maps"), jsonnet(k_config_maps),
      {{"parameters", {{"properties", {{"names", {{"type", "array"}, {"items", k_text}}}}}}}});
  make_place(world);
  const auto wanted = [&](const Json& names) {
    return external(project, "api", world.name("maps"), {{"names", names}});
  };
  put("home", {wanted({"one", "two"})});
  must(run_kubist({"reconcile", "Project/" + project}));
  const auto one = get("home", "configmap", "one", dev);
  REQUIRE(one);
  CHECK((*one)["data"] == Json{{"hosts", "api.example.com"}, {"where", dev}});
  CHECK((*one)["metadata"]["labels"] ==
        Json{{"app.kubernetes.io/managed-by", "kubist"}, {"made", "here"}});
  CHECK(!(*one)["metadata"]["annotations"].contains("config.kubernetes.io/path"));
  const auto status = (*get("home", "externalservices.kubist.io", "api", project))["status"];
  CHECK(status["executor"] == Json{{"name", world.name("maps")},
                                   {"message", "one for each name"},
                                   {"observedGeneration", 1},
                                   {"state", {{"names", {"one", "two"}}}}});
  CHECK(status["inventory"].size() == 2);

  // Unchanged, it writes nothing; what others change comes back.
  Audit audit("home");
  must(run_kubist(world.as_user({"reconcile", "Project/" + project})));
  CHECK(audit.writes(world.user()).empty());
  {
    const Background watch({"reconcile", "Project/" + project, "--watch"});
    // Its first run is over: only the watch can see what changes now.
    REQUIRE_MESSAGE(
        eventually([&] { return watch.output().find("; 0 writes") != std::string::npos; }),
        watch.output());
    must(kubectl("home", {"patch", "configmap", "one", "-n", dev, "--type=merge", "-p",
                          R"({"data":{"hosts":"elsewhere"}})"}));
    CHECK_MESSAGE(eventually([&] {
                    const auto now = get("home", "configmap", "one", dev);
                    return (*now)["data"]["hosts"] == "api.example.com";
                  }),
                  watch.output());
  }

  // What it returns no more goes; what somebody else made is never taken.
  put("home", {wanted({"two", "three"})});
  const std::string planned =
      must(run_kubist({"reconcile", "Project/" + project, "--dry-run=server"}));
  CHECK_MESSAGE(planned.find("2 writes") != std::string::npos, planned);
  CHECK(get("home", "configmap", "one", dev));
  must(run_kubist({"reconcile", "Project/" + project}));
  CHECK(!get("home", "configmap", "one", dev));
  CHECK(get("home", "configmap", "three", dev));
  must(kubectl("home", {"create", "configmap", "theirs", "-n", dev}));
  put("home", {wanted({"two", "theirs"})});
  CHECK(run_kubist({"reconcile", "Project/" + project}).exit_code != 0);
  const auto node = [&] { return get("home", "externalservices.kubist.io", "api", project); };
  CHECK(reason(node(), "Ready") == "ObjectExists");
  CHECK(get("home", "configmap", "two", dev));
  CHECK(get("home", "configmap", "three", dev));

  // With the resource all of it goes, also when the definition went before.
  Executors::remove(world.name("maps"));
  CHECK(run_kubist({"reconcile", "Project/" + project}).exit_code != 0);
  CHECK(reason(node(), "Ready") == "UnknownExecutor");
  must(run_kubist({"delete", "externalservice/api", "-n", project}));
  CHECK(!node());
  CHECK(!get("home", "configmap", "two", dev));
  CHECK(!get("home", "configmap", "three", dev));
  CHECK(get("home", "configmap", "theirs", dev));
}

TEST_CASE("own executors: with --watch a new definition reaches its resources") {
  World world("functionwatch");
  const std::string dev = world.name("dev");
  Executors executors;
  const auto define = [&](const std::string& value) {
    executors.add(world.name("one"), jsonnet("function(list) list { items: [list.items[0], { "
                                             "apiVersion: 'v1', kind: 'ConfigMap', metadata: { "
                                             "name: 'made' }, data: { value: '" +
                                             value + "' } }] }"));
  };
  define("old");
  make_place(world);
  put("home", {external(world.name(), "api", world.name("one"))});
  Background watch({"reconcile", "Project/" + world.name(), "--watch"});
  const auto made = [&](const char* value) {
    return eventually([&] {
      const auto map = get("home", "configmap", "made", dev);
      return map && (*map)["data"]["value"] == value;
    });
  };
  CHECK_MESSAGE(made("old"), watch.output());
  define("new");
  CHECK_MESSAGE(made("new"), watch.output());
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}

TEST_CASE("own executors: a KRM function made with kustomize's framework runs unchanged") {
  World world("krm-executor");
  const std::string project = world.name();
  const std::string dev = world.name("dev");
  Programs programs;
  programs.add_file("example", krm_functions() / "example");
  Executors executors;
  // It annotates what it gets and adds a ServiceAccount.
  executors.add(world.name("example"), {{"exec", "example"}},
                {{"parameters", {{"properties", {{"value", k_text}}}}},
                 {"functionConfig", config_map({{"value", "${parameters.value}"}})}});
  make_place(world);
  for (const char* value : {"hello", "again"}) {
    put("home", {external(project, "api", world.name("example"), {{"value", value}})});
    must(run_kubist({"reconcile", "Project/" + project}));
    const auto account = get("home", "serviceaccount", value, dev);
    REQUIRE(account);
    CHECK((*account)["metadata"]["annotations"]["value"] == value);
  }
  CHECK(!get("home", "serviceaccount", "hello", dev));
  Audit audit("home");
  must(run_kubist(world.as_user({"reconcile", "Project/" + project})));
  CHECK(audit.writes(world.user()).empty());
}

TEST_CASE("own executors: one takes the place of the built-in one that has its name") {
  World world("replaced");
  const std::string project = world.name();
  const std::string dev = world.name("dev");
  make_place(world);
  put("home", {external(project, "api", "")});
  {
    Executors executors;
    executors.add("externalservice", jsonnet(R"(function(list) list { items: [{
      apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: list.items[0].metadata.name },
      data: { instead: 'of a ServiceEntry' } }] })"),
                  {{"kinds", {"ExternalService"}}});
    must(run_kubist({"reconcile", "Project/" + project}));
  }
  const auto made = get("home", "configmap", "api", dev);
  REQUIRE(made);
  CHECK((*made)["data"]["instead"] == "of a ServiceEntry");
  // The others cannot be replaced.
  const CommandResult refused = run_kubist({"apply", "-f", "-"}, R"({
    "apiVersion": "kubist.io/v1alpha1", "kind": "ExecutorDefinition",
    "metadata": {"name": "virtualcluster"}, "spec": {"runtime": {"exec": "any"}}})");
  CHECK(refused.exit_code != 0);
  CHECK(refused.err.find("cannot be replaced") != std::string::npos);
}

TEST_CASE("own executors: one that is not ready yet is waited for, with its objects as items") {
  World world("waits");
  const std::string project = world.name();
  const std::string dev = world.name("dev");
  Executors executors;
  // A claim that nothing binds; a second object once the first is there.
  executors.add(world.name("claim"), jsonnet(R"(function(list)
    local claim = {
      apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'claim' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none',
              resources: { requests: { storage: '1Gi' } } } };
    local seen = [item.status.phase for item in list.items[1:] if item.kind == claim.kind];
    list { items: [claim] + [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seen' },
                               data: { phase: phase } } for phase in seen] })"),
                {{"wants", {"objects"}}});
  make_place(world);
  put("home", {external(project, "api", world.name("claim"))});
  Background run({"reconcile", "Project/" + project});
  const auto node = [&] { return get("home", "externalservices.kubist.io", "api", project); };
  CHECK_MESSAGE(eventually([&] {
                  const auto seen = get("home", "configmap", "seen", dev);
                  return seen && (*seen)["data"]["phase"] == "Pending";
                }),
                run.output());
  CHECK(eventually([&] { return reason(node(), "Ready") == "ObjectsNotReady"; }));
  CHECK(message(node(), "Ready").find("PersistentVolumeClaim/claim") != std::string::npos);
  run.signal(SIGINT);
  CHECK(run.wait(30) == 130);
}

TEST_CASE("own executors: an object where it may not be, and a program that fails, fail one node") {
  World world("outside");
  World other("outside-other");
  const std::string project = world.name();
  Programs programs;
  programs.add("hangs", "exec sleep 1000", ", timeout: 1s");
  programs.add("rubbish", "echo '<html>'");
  programs.add("denies", R"(echo '{"kind":"ResourceList","items":[],"results":
    [{"severity":"error","message":"not on a Sunday"}]}')");
  Executors executors;
  const std::string anywhere = world.name("anywhere");
  const std::string allowed = world.name("allowed");
  const std::string source = R"(function(list) list {
    items: [std.mergePatch({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'far' } },
                           list.functionConfig.parameters.object)] })";
  const Json parameters{
      {"properties",
       {{"object", {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}}}};
  executors.add(anywhere, jsonnet(source), {{"parameters", parameters}});
  executors.add(allowed, jsonnet(source),
                {{"parameters", parameters},
                 {"allows",
                  {{"namespaces", {world.name("*"), other.name(), "kube-system"}},
                   {"clusterScoped", {"ClusterRole.rbac.authorization.k8s.io"}}}}});
  for (const char* name : {"hangs", "rubbish", "denies", "nobody"}) {
    executors.add(world.name(name), {{"exec", name}});
  }
  make_place(world);
  other.make_project(other.name());
  must(kubectl("home", {"create", "namespace", world.name("more")}));
  const auto in = [](const std::string& ns) {
    return Json{{"object", {{"metadata", {{"namespace", ns}}}}}};
  };
  const Json role{{"object",
                   {{"apiVersion", "rbac.authorization.k8s.io/v1"},
                    {"kind", "ClusterRole"},
                    {"metadata", {{"name", world.name("role")}}},
                    {"rules", Json::array()}}}};
  const Json finalizers{{"object", {{"metadata", {{"finalizers", {"a/b"}}}}}}};
  const Json own{{"object", {{"apiVersion", "kubist.io/v1alpha1"}, {"kind", "Cluster"}}}};
  put("home",
      {external(project, "good", allowed, in(world.name("more"))),
       external(project, "good-role", allowed, role),
       external(project, "elsewhere", anywhere, in(world.name("more"))),
       external(project, "role", anywhere, role),
       external(project, "theirs", allowed, in(other.name())),
       external(project, "system", allowed, in("kube-system")),
       external(project, "finalizers", anywhere, finalizers),
       external(project, "own", anywhere, own), external(project, "hangs", world.name("hangs")),
       external(project, "rubbish", world.name("rubbish")),
       external(project, "denies", world.name("denies")),
       external(project, "nobody", world.name("nobody"))});
  // What the definition allows the project's account needs the right to, as well.
  const std::string account = "--serviceaccount=" + project + ":kubist-project";
  must(kubectl("home", {"create", "clusterrolebinding", world.name("grant"),
                        "--clusterrole=cluster-admin", account}));
  const CommandResult run = run_kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  CHECK_MESSAGE(run.exit_code != 0, run.out, run.err);
  const auto node = [&](const std::string& name) {
    return get("home", "externalservices.kubist.io", name, project);
  };
  CHECK_MESSAGE(condition(node("good"), "Ready") == "True", message(node("good"), "Ready"));
  CHECK_MESSAGE(condition(node("good-role"), "Ready") == "True",
                message(node("good-role"), "Ready"));
  CHECK(get("home", "configmap", "far", world.name("more")));
  CHECK(!get("home", "configmap", "far", other.name()));
  CHECK(!get("home", "configmap", "far", "kube-system"));
  const std::tuple<const char*, const char*, const char*> said[] = {
      {"elsewhere", "ObjectNotAllowed", "spec.allows.namespaces"},
      {"role", "ObjectNotAllowed", "is cluster-scoped"},
      {"theirs", "NamespaceNotAllowed", "belongs to Project"},
      {"system", "NamespaceNotAllowed", "reserved"},
      {"finalizers", "ObjectNotAllowed", "metadata.finalizers"},
      {"own", "ObjectNotAllowed", "kubist's own"},
      {"hangs", "Timeout", "took longer than"},
      {"rubbish", "ExecutorFailed", "did not return a ResourceList"},
      {"denies", "ExecutorDenied", "not on a Sunday"},
      {"nobody", "ProgramNotHere", "this machine has no program"}};
  for (const auto& [name, why, part] : said) {
    CAPTURE(name);
    CHECK(reason(node(name), "Ready") == why);
    CHECK_MESSAGE(message(node(name), "Ready").find(part) != std::string::npos,
                  message(node(name), "Ready"));
  }
  must(run_kubist({"delete", "externalservice/good", "externalservice/good-role", "-n", project}));
  CHECK(!get("home", "configmap", "far", world.name("more")));
  CHECK(!get("home", "clusterrole", world.name("role")));
  it::remove("home", "clusterrolebinding", world.name("grant"));
}
