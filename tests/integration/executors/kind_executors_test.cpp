// Executors of users for kubist's own kinds, from the Root down.
#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "credentials.hpp"
#include "platform.hpp"
#include "support/paths.hpp"

namespace {

using namespace it;
using kubist::util::cat;

const Json k_seed_text{{"type", "string"}};

// As the first YAML of the design writes it, below spec:
constexpr const char* k_block = R"(
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
)";

/// What each kind needs besides it.
constexpr std::pair<const char*, const char*> k_kinds[] = {
    {"Root", ""},
    {"Project", ""},
    {"Cluster", "  home: true\n"},
    {"VirtualCluster", "  clusterRef: {name: home}\n  namespace: PROJECT-dev\n"},
    {"Execution", "  items: [{name: one, type: Templates, template: 'function(all) []'}]\n"},
    {"Destination",
     "  virtualClusterRef: {name: dev}\n  ports: [{port: 80, name: http}]\n"
     "  subsets: {v1: {labels: {version: v1}}, v2: {labels: {version: v2}}}\n"},
    {"EntryGateway",
     "  virtualClusterRef: {name: dev}\n"
     "  servers: [{port: 80, protocol: HTTP, hosts: [a.example.com]}]\n"},
    {"ExternalService",
     "  virtualClusterRef: {name: dev}\n  hosts: [api.example.com]\n"
     "  ports: [{number: 443, name: https, protocol: TLS}]\n"},
    {"CanaryRelease",
     "  virtualClusterRef: {name: dev}\n  destination: web\n  stable: v1\n  canary: v2\n"
     "  routes: [shop]\n"},
    {"Experiment",
     "  virtualClusterRef: {name: dev}\n  route: shop\n  rule: all\n"
     "  variants: [{name: a, destination: web, version: v1}, "
     "{name: b, destination: web, version: v2}]\n"
     "  goals: [{name: orders, count: sum(n), successes: sum(s), "
     "source: {prometheus: {namespace: m, service: 'p:9090'}}}]\n"},
    {"TrafficRoute",
     "  virtualClusterRef: {name: dev}\n  hosts: [a.example.com]\n"
     "  routes: [{name: all, weights: [{destination: web, version: v1}]}]\n"}};

/// Its name, in the project.
std::string name_of(const std::string& kind, const std::string& project) {
  return kind == "Root"             ? "root"
         : kind == "Project"        ? project
         : kind == "Cluster"        ? "home"
         : kind == "VirtualCluster" ? "dev"
         : kind == "Destination"    ? "web"
         : kind == "TrafficRoute"   ? "shop"
                                    : kubist::util::lower(kind);
}

std::optional<Json> live(const std::string& kind, const std::string& project) {
  const bool above = kind == "Root" || kind == "Project";
  return get("home", kubist::util::lower(kind) + "s.kubist.io", name_of(kind, project),
             above ? "" : project);
}

}  // namespace

TEST_CASE(
    "kind executors: the first YAML works as it stands on each kind" *
    doctest::description("seed 1.8, 1.9: executor, policies and their parameters in the YAML")) {
  World world("kinds");
  const std::string project = world.name();
  make_place(world);
  must(run_kubist({"reconcile", "Project/" + project}));  // the built-in one makes the namespace
  Platform platform(world);
  platform.may_keep_maps(project);
  const OwnRoot root;
  Json kinds = Json::array();
  std::string text;
  for (const auto& [kind, rest] : k_kinds) {
    kinds.push_back(kind);
    const bool above = std::string(kind) == "Root" || std::string(kind) == "Project";
    text += cat("---\napiVersion: kubist.io/v1alpha1\nkind: ", kind,
                "\nmetadata: {name: ", name_of(kind, project),
                above ? "" : ", namespace: " + project, "}\nspec:\n", rest, k_block + 1);
  }
  const std::string source = R"(function(list)
    local config = list.functionConfig;
    local resource = list.items[0];
    list { items: [resource, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'seen-' + std.asciiLower(resource.kind),
        namespace: std.get(config.target, 'namespace', 'PROJECT'),
      },
      data: { executor: config.parameters.someParam, policies: resource.spec.settings.both },
    }] })";
  platform.define("someexecutor", kubist::util::replace_all(source, "PROJECT", project),
                  {{"kinds", kinds},
                   {"serviceAccountName", platform.account()},
                   {"parameters", {{"properties", {{"someParam", k_seed_text}}}}},
                   {"allows", {{"namespaces", {project}}}}});
  const std::string policy = R"(function(list)
    local before = std.get(std.get(list.items[0].spec, 'settings', {}), 'both', '');
    list { items: [list.items[0] { spec+: { settings+: {
      both: before + list.functionConfig.parameters.someParam + '/',
    } } }] })";
  std::vector<Json> policies;
  for (const char* name : {"somepolicy1", "somepolicy2"}) {
    policies.push_back(object("ClusterPolicyDefinition", "", name,
                              {{"parameters", {{"properties", {{"someParam", k_seed_text}}}}},
                               {"runtime", {{"jsonnet", {{"source", policy}}}}}}));
  }
  put("home", policies);
  const std::string input = kubist::util::replace_all(text, "PROJECT", project);
  must(run_kubist({"apply", "-f", "-"}, input));
  must(run_kubist({"reconcile", "Root/root", "--timeout=120s"}));
  std::size_t count = 0;
  for (const auto& each : k_kinds) {
    const std::string kind = each.first;
    CAPTURE(kind);
    const auto node = live(kind, project);
    REQUIRE(node);
    CHECK_MESSAGE(condition(node, "Ready") == "True", message(node, "Ready"));
    CHECK((*node)["status"]["executor"]["name"] == "someexecutor");
    REQUIRE((*node)["status"]["policies"].size() == 2);
    const bool in_dev =
        kind != "Root" && kind != "Project" && kind != "Cluster" && kind != "Execution";
    const auto seen = get("home", "configmap", "seen-" + kubist::util::lower(kind),
                          in_dev ? world.name("dev") : project);
    REQUIRE(seen);
    CHECK((*seen)["data"] ==
          Json{{"executor", "someValue1"}, {"policies", "someValue2/someValue 3/"}});
    ++count;
  }
  CHECK(count == 11);
  Audit audit("home");
  must(run_kubist(world.as_user({"reconcile", "Root/root", "--timeout=120s"})));
  std::size_t reads = 0;
  CHECK(audit.writes(world.user(), &reads).empty());
  CHECK(reads > 5);
  must(kubectl("home",
               {"delete", "clusterpolicydefinitions.kubist.io", "somepolicy1", "somepolicy2"}));
}

TEST_CASE(
    "kind executors: what a member asks of an administrator's executor, the account must have") {
  World world("carry");
  World other("carry-other");
  const std::string project = world.name();
  make_place(world);
  other.make_project(other.name());
  must(run_kubist({"reconcile", "Project/" + project}));
  Platform platform(world);
  platform.may_keep_maps(project);
  const std::string source = R"(function(list)
    local parameters = list.functionConfig.parameters;
    list {
      items: [list.items[0]] + std.get(parameters, 'objects', []),
      functionConfig+: { status: std.get(parameters, 'say', {}) },
    })";
  const Json anything{{"x-kubernetes-preserve-unknown-fields", true}};
  const Json allows{
      {"namespaces", {"kube-*", "default", project, other.name(), world.name("gone")}},
      {"clusterScoped", {"ClusterRoleBinding", "Namespace"}}};
  for (const char* kind : {"Cluster", "VirtualCluster", "Execution"}) {
    platform.define(world.name(kubist::util::lower(kind)), source,
                    {{"wraps", kind},
                     {"serviceAccountName", platform.account()},
                     {"parameters", {{"properties", {{"objects", anything}, {"say", anything}}}}},
                     {"allows", allows}});
  }
  const auto map_in = [](const std::string& ns) {
    return Json{{"objects", Json::array({{{"apiVersion", "v1"},
                                          {"kind", "ConfigMap"},
                                          {"metadata", {{"name", "taken"}, {"namespace", ns}}},
                                          {"data", {{"a", "b"}}}}})}};
  };
  const auto one = [](const std::string& api, const std::string& kind, const std::string& ns,
                      Json more = Json::object()) {
    more.update(Json{{"apiVersion", api}, {"kind", kind}, {"metadata", {{"name", "taken"}}}});
    if (!ns.empty()) {
      more["metadata"]["namespace"] = ns;
    }
    return Json{{"objects", Json::array({more})}};
  };
  const Json admin{
      {"roleRef",
       {{"apiGroup", "rbac.authorization.k8s.io"},
        {"kind", "ClusterRole"},
        {"name", "cluster-admin"}}},
      {"subjects",
       Json::array(
           {{{"kind", "User"}, {"apiGroup", "rbac.authorization.k8s.io"}, {"name", "member"}}})}};
  const std::string rbac = "rbac.authorization.k8s.io/v1";
  struct Attempt {
    const char* kind;
    Json parameters;
    const char* reason;
  };
  const Attempt attempts[] = {
      {"Cluster", map_in("kube-system"), "NamespaceNotAllowed"},
      {"Cluster", map_in("default"), "NamespaceNotAllowed"},
      {"Cluster", map_in(other.name()), "NamespaceNotAllowed"},
      {"Cluster", map_in(world.name("gone")), "NamespaceNotAllowed"},
      {"Cluster", one("v1", "ConfigMap", ""), "ObjectNotAllowed"},
      {"Cluster", one("v1", "Secret", project), "Forbidden"},
      {"Cluster", one(rbac, "ClusterRoleBinding", "", admin), "Forbidden"},
      {"Cluster", one(rbac, "ClusterRole", ""), "ObjectNotAllowed"},
      {"Cluster", one("kubist.io/v1alpha1", "Project", ""), "ObjectNotAllowed"},
      {"VirtualCluster", map_in("kube-system"), "NamespaceNotAllowed"},
      {"VirtualCluster", map_in(other.name()), "NamespaceNotAllowed"},
      {"VirtualCluster", one(rbac, "ClusterRoleBinding", "", admin), "Forbidden"},
      {"VirtualCluster", one("v1", "Namespace", ""), "Forbidden"},
      {"Execution", map_in(other.name()), "NamespaceNotAllowed"},
      {"Execution", one("v1", "Secret", ""), "Forbidden"},
      {"Execution", one(rbac, "RoleBinding", "", admin), "Forbidden"},
      {"Execution", one("landscaper.gardener.cloud/v1alpha1", "DeployItem", ""),
       "ObjectNotAllowed"},
      {"Execution", {{"say", {{"state", std::string(20000, 'x')}}}}, "ExecutorFailed"},
      {"VirtualCluster",
       {{"say",
         {{"conditions",
           Json::array({{{"type", "Ready"}, {"status", "True"}, {"reason", "Mine"}}})}}}},
       "ExecutorFailed"}};
  const Json plain[] = {object("Cluster", project, "home", {{"home", true}}),
                        virtual_cluster(project, "dev", "home", world.name("dev")),
                        object("Execution", project, "steps",
                               {{"items", Json::array({{{"name", "one"},
                                                        {"type", "Templates"},
                                                        {"template", "function(all) []"}}})}})};
  std::size_t count = 0;
  for (const Attempt& attempt : attempts) {
    CAPTURE(attempt.kind);
    CAPTURE(attempt.parameters.dump().substr(0, 300));
    Json written = *std::find_if(std::begin(plain), std::end(plain),
                                 [&](const Json& each) { return each["kind"] == attempt.kind; });
    const std::string name = written["metadata"]["name"];
    written["spec"]["executor"] = {{"name", world.name(kubist::util::lower(attempt.kind))},
                                   {"parameters", attempt.parameters}};
    put("home", {written});
    Audit audit("home");
    const CommandResult run = run_kubist(
        world.as_user({"reconcile", cat(attempt.kind, '/', name), "-n", project, "--timeout=60s"}));
    CHECK_MESSAGE(run.exit_code != 0, run.out, run.err);
    const auto node = live(attempt.kind, project);
    const auto steps = get("home", "executions.kubist.io", "steps", project);
    const auto& failed = std::string(attempt.kind) == "Execution" ? steps : node;
    CHECK_MESSAGE(reason(failed, "Ready") == attempt.reason, message(failed, "Ready"));
    for (const AuditedWrite& write : audit.writes(world.user())) {
      CHECK_MESSAGE(write.name != "taken", write.to_string());
    }
    ++count;
    put("home", {std::begin(plain), std::end(plain)});
    must(run_kubist({"reconcile", "Project/" + project, "--timeout=60s"}));
  }
  CHECK(count == 19);
  must(run_kubist({"reconcile", "Project/" + other.name(), "--timeout=60s"}));
}

TEST_CASE("kind executors: the example of Clusters, traced before it is run" *
          doctest::description("seed 1.10: custom executors")) {
  World world("facts");
  const std::string project = world.name();
  const std::string name = world.name("platform");  // of the definition, its account, its namespace
  make_place(world);
  must(run_kubist({"reconcile", "Project/" + project}));
  Platform platform(world);
  put("home", {{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}}});
  platform.may_keep_maps(name);
  Json definition = yaml(
      kubist::util::replace_all(*kubist::util::read_file(kubist::paths::source_dir() +
                                                         "/examples/executors/cluster-facts.yaml"),
                                "cluster-facts", name));
  const std::string source = definition["spec"]["runtime"]["jsonnet"]["source"];
  definition["spec"].erase("runtime");
  platform.define(name, source, definition["spec"]);
  put("home", {object("Cluster", project, "home",
                      {{"home", true},
                       {"executor", {{"name", name}, {"parameters", {{"owner", "team-a"}}}}}})});
  Audit traced("home");
  const std::string said =
      must(run_kubist(world.as_user({"executor", "trace", "cluster/home", "-n", project})));
  CHECK_MESSAGE(said.find(cat("would create v1 ConfigMap/", name, '/', project, "-home")) !=
                    std::string::npos,
                said);
  CHECK_MESSAGE(said.find("owner: team-a") != std::string::npos, said);
  std::size_t reads = 0;
  CHECK(traced.writes(world.user(), &reads).empty());
  CHECK(reads > 0);

  Audit audit("home");
  must(run_kubist(world.as_user({"reconcile", "Project/" + project})));
  const auto facts = get("home", "configmap", project + "-home", name);
  REQUIRE(facts);
  const auto cluster = live("Cluster", project);
  CHECK((*facts)["data"] == Json{{"owner", "team-a"},
                                 {"kubernetes", (*cluster)["status"]["kubernetesVersion"]},
                                 {"server", (*cluster)["status"]["server"]}});
  CHECK(condition(cluster, "Labelled") == "True");
  CHECK(condition(cluster, "Connected") == "True");
  const auto writes = audit.writes(platform.user());
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].resource == "configmaps");
  Audit watched("home");
  const auto has_asked = [&](const char* verb) {
    const auto requests = watched.requests(platform.user());
    return std::any_of(requests.begin(), requests.end(), [&](const Json& event) {
      return event["verb"] == verb && event["objectRef"]["resource"] == "configmaps" &&
             event["objectRef"]["namespace"] == name;
    });
  };
  {
    const Background watch({"reconcile", "Project/" + project, "--watch"});
    REQUIRE_MESSAGE(
        eventually([&] { return watch.output().find("; 0 writes") != std::string::npos; }),
        watch.output());
    // From what it lists on, its watch sees all.
    REQUIRE_MESSAGE(eventually([&] { return has_asked("list"); }), watch.output());
    must(kubectl("home", {"delete", "configmap", project + "-home", "-n", name}));
    CHECK_MESSAGE(
        eventually([&] { return get("home", "configmap", project + "-home", name).has_value(); }),
        watch.output());
  }
  CHECK(eventually([&] { return has_asked("watch"); }));
  free_lock(project);
  must(run_kubist({"reconcile", "Project/" + project}));  // the watch ended before it had a status
  must(run_kubist(as_administrator({"delete", "Project/" + project, "--timeout=60s"})));
  CHECK(!get("home", "configmap", project + "-home", name));
  static_cast<void>(kubectl("home", {"delete", "namespace", name, "--wait=false"}));
}

TEST_CASE("kind executors: a trace shows no value of a Secret") {
  World world("masked");
  const std::string project = world.name();
  make_place(world);
  Platform platform(world);
  platform.define(world.name("vault"), R"(function(list) list { items: [list.items[0], {
    apiVersion: 'v1', kind: 'Secret', metadata: { name: 'made' }, stringData: { password: 'hun' + 'ter2' },
  }] })",
                  {{"wraps", "VirtualCluster"}, {"wants", {"objects"}}});
  Json dev = virtual_cluster(project, "dev", "home", world.name("dev"));
  dev["spec"]["executor"] = {{"name", world.name("vault")}};
  put("home", {dev});
  must(run_kubist({"reconcile", "Project/" + project}));
  REQUIRE(get("home", "secret", "made", world.name("dev")));
  for (const Words& form : {Words{}, Words{"-o", "yaml"}}) {
    Words words{"executor", "trace", "vc/dev", "-n", project};
    words.insert(words.end(), form.begin(), form.end());
    const CommandResult ran = run_kubist(words);
    CHECK(ran.exit_code == 0);
    CHECK(ran.out.find("password") != std::string::npos);
    CHECK(ran.out.find("hunter2") == std::string::npos);
    CHECK(ran.out.find("aHVudGVyMg") == std::string::npos);  // as the API server has it
  }
}
