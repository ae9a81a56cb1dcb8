// What an unchanged run asks of the API servers does not grow with the number of virtual clusters.
#include <map>

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "support.hpp"

namespace {

using namespace it;

struct Reads {
  std::size_t home = 0;
  std::size_t target = 0;
};

// A project with so many virtual clusters on the home cluster and on a target, reconciled until
// nothing is left to do; then what one more run reads.
Reads reads_of(World& world, const std::string& project, int count) {
  const auto [config, target_user] = world.token_kubeconfig("target1");
  world.make_project(project);
  std::vector<Json> objects{
      secret(project, "target", config), object("Cluster", project, "home", {{"home", true}}),
      object("Cluster", project, "target", {{"kubeconfigSecretRef", {{"name", "target"}}}})};
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    objects.push_back(virtual_cluster(project, "h" + number, "home", project + "-h" + number));
    objects.push_back(virtual_cluster(project, "t" + number, "target", project + "-t" + number));
  }
  put("home", objects);
  const Words reconcile = world.as_user({"reconcile", "Project/" + project});
  must(run_kubist(reconcile));
  must(run_kubist(reconcile));
  Audit home("home");
  Audit target("target1");
  const CommandResult run = run_kubist(reconcile);
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  Reads reads;
  CHECK(home.writes(world.user(), &reads.home).empty());
  CHECK(target.writes(target_user, &reads.target).empty());
  return reads;
}

Json rule(const std::string& group, const std::string& resource, const Words& verbs) {
  return {{"apiGroups", Json::array({group})},
          {"resources", Json::array({resource})},
          {"verbs", verbs}};
}

Json rbac(const std::string& kind, const std::string& ns, const std::string& name, Json more) {
  Json made{{"apiVersion", "rbac.authorization.k8s.io/v1"},
            {"kind", kind},
            {"metadata", {{"name", name}}}};
  if (!ns.empty()) {
    made["metadata"]["namespace"] = ns;
  }
  made.update(more);
  return made;
}

Json binding_to(const std::string& role, const std::string& account_ns) {
  return {
      {"roleRef",
       {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", role}}},
      {"subjects",
       Json::array({{{"kind", "ServiceAccount"}, {"name", "kubist"}, {"namespace", account_ns}}})}};
}

}  // namespace

TEST_CASE("reconcile: an unchanged run reads as much for 20 virtual clusters as for 5") {
  World world("reads");
  const Reads few = reads_of(world, world.name("few"), 5);
  const Reads many = reads_of(world, world.name("many"), 20);
  CHECK(few.home > 5);
  CHECK(few.target > 5);
  CHECK(many.home <= few.home);
  CHECK(many.target <= few.target);
}

TEST_CASE("reconcile: all Clusters that lead to one place ask it once a run") {
  World world("once");
  Words selection{"reconcile"};
  for (const char* suffix : {"a", "b", "c"}) {
    const std::string project = world.name(suffix);
    world.make_project(project);
    put("home", {object("Cluster", project, "one", {{"home", true}}),
                 object("Cluster", project, "two", {{"home", true}})});
    selection.push_back("Project/" + project);
  }
  Audit audit("home");
  const CommandResult run = run_kubist(world.as_user(selection));
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(run.out.find("9 nodes: 9 ready") != std::string::npos);
  std::map<std::string, int> asked;
  for (const Json& request : audit.requests(world.user())) {
    const std::string uri = request["requestURI"];
    ++asked[uri.substr(0, uri.find('?'))];
  }
  // Four about namespaces, and whether it may impersonate every ServiceAccount.
  CHECK(asked["/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"] == 5);
  CHECK(asked["/version"] == 1);
  CHECK(asked["/api/v1/namespaces/kube-system"] == 1);
}

TEST_CASE("apply: fields are looked up once for each group and version, and then never again") {
  World world("lookup");
  const std::string project = world.name();
  world.make_project(project);
  const kubist::util::TempDir cache("cache");
  const std::string before = kubist::util::environment("KUBECACHEDIR");
  ::setenv("KUBECACHEDIR", cache.path().c_str(), 1);
  const auto apply = [&](const std::string& value) {
    std::string input;
    for (const char* name : {"a", "b"}) {
      for (const char* kind : {"ConfigMap", "Secret"}) {
        input += kubist::util::cat("---\napiVersion: v1\nkind: ", kind, "\nmetadata: {name: ", name,
                                   ", namespace: ", project, "}\n",
                                   kind == std::string("Secret") ? "stringData" : "data",
                                   ": {k: \"", value, "\"}\n");
      }
    }
    input +=
        kubist::util::cat("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: ",
                          "{name: a, namespace: ", project, ", labels: {v: \"", value, "\"}}\n");
    Audit audit("home");
    const CommandResult run = run_kubist(world.as_user({"apply", "-f", "-"}), input);
    CHECK_MESSAGE(run.exit_code == 0, run.err);
    std::vector<std::string> asked;
    for (const Json& request : audit.requests(world.user())) {
      const std::string uri = request["requestURI"];
      if (uri.starts_with("/openapi")) {
        asked.push_back(uri);
      }
    }
    return asked;
  };
  CHECK(apply("1") == std::vector<std::string>{"/openapi/v3/api/v1",
                                               "/openapi/v3/apis/rbac.authorization.k8s.io/v1"});
  CHECK(apply("1").empty());
  CHECK(apply("2").empty());
  before.empty() ? ::unsetenv("KUBECACHEDIR") : ::setenv("KUBECACHEDIR", before.c_str(), 1);
}

TEST_CASE("reconcile: Deployments to restart are read once, and restarted once") {
  World world("restart");
  const std::string project = world.name();
  world.make_project(project);
  const auto keep = [&](const Json& injection) {
    put("home",
        {virtual_cluster(project, "dev", "home", world.name("dev"), {{"injection", injection}})});
  };
  put("home", {object("Cluster", project, "home", {{"home", true}})});
  keep({{"mode", "None"}});
  must(run_kubist({"reconcile", "Project/" + project}));
  const std::string deployments = "/apis/apps/v1/namespaces/" + world.name("dev") + "/deployments";
  put("home",
      {{{"apiVersion", "apps/v1"},
        {"kind", "Deployment"},
        {"metadata", {{"name", "web"}, {"namespace", world.name("dev")}}},
        {"spec",
         {{"replicas", 0},
          {"selector", {{"matchLabels", {{"app", "web"}}}}},
          {"template",
           {{"metadata", {{"labels", {{"app", "web"}}}}},
            {"spec", {{"containers", Json::array({{{"name", "a"}, {"image", "a"}}})}}}}}}}}});
  keep({{"mode", "Sidecar"}, {"restart", true}});
  for (const int restarts : {1, 0}) {
    Audit audit("home");
    const CommandResult run = run_kubist(world.as_user({"reconcile", "Project/" + project}));
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    int lists = 0;
    int patches = 0;
    for (const Json& request : audit.requests(world.user())) {
      const std::string uri = request["requestURI"];
      lists += uri.starts_with(deployments) && request["verb"] == "list" ? 1 : 0;
      patches += uri.starts_with(deployments) && request["verb"] == "patch" ? 1 : 0;
    }
    CHECK(lists == 1);
    CHECK(patches == restarts);
  }
  const auto web = get("home", "deployment", "web", world.name("dev"));
  REQUIRE(web);
  CHECK((*web)["spec"]["template"]["metadata"]["annotations"]["kubist.io/mesh"] ==
        "istio-injection=enabled");
}

TEST_CASE("reconcile: where LIST is forbidden in the whole cluster, each namespace is asked for") {
  World world("narrow");
  const std::string project = world.name();
  const std::string role = world.name();
  const auto [config, user] = world.token_kubeconfig("target1");
  static_cast<void>(user);
  // token_kubeconfig gave all rights: these are what remains.
  must(kubectl("target1", {"delete", "clusterrolebinding", world.name()}));
  std::vector<Json> rights{
      rbac(
          "ClusterRole", "", role,
          {{"rules", Json::array({rule("", "namespaces", {"get", "create", "patch", "delete"})})}}),
      rbac("ClusterRole", "", role + "-apps",
           {{"rules", Json::array({rule("apps", "deployments", {"list"})})}}),
      rbac("ClusterRoleBinding", "", world.name(), binding_to(role, world.name("account")))};
  world.make_project(project);
  std::vector<Json> objects{
      secret(project, "target", config),
      object("Cluster", project, "target", {{"kubeconfigSecretRef", {{"name", "target"}}}})};
  for (int i = 0; i < 6; ++i) {
    const std::string ns = world.name("n" + std::to_string(i));
    rights.push_back(
        Json{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}});
    rights.push_back(
        rbac("RoleBinding", ns, "kubist", binding_to(role + "-apps", world.name("account"))));
    objects.push_back(
        virtual_cluster(project, "n" + std::to_string(i), "target", ns, {{"adopt", true}}));
  }
  put("target1", rights);
  put("home", objects);
  const Words reconcile = world.as_user({"reconcile", "Project/" + project});
  const CommandResult first = run_kubist(reconcile);
  CHECK_MESSAGE(first.exit_code == 0, first.out, first.err);
  Audit target("target1");
  const CommandResult second = run_kubist(reconcile);
  CHECK_MESSAGE(second.exit_code == 0, second.out, second.err);
  CHECK(second.out.find("; 0 writes") != std::string::npos);
  CHECK(target.writes(user).empty());
  kubectl("target1", {"delete", "clusterrole", role, role + "-apps", "--wait=false"});
}
