// What items may do on the home cluster with the rights of an operator who may do anything there.
#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "credentials.hpp"
#include "support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

Json limited_config_map(const std::string& name, const std::string& ns = {}) {
  Json made{{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", name}}},
            {"data", {{"by", "item"}}}};
  if (!ns.empty()) {
    made["metadata"]["namespace"] = ns;
  }
  return made;
}

Json deploy_item(const std::string& ns, const std::string& name, const std::string& type,
                 Json config) {
  return {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
          {"kind", "DeployItem"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec", {{"type", type}, {"timeout", "20s"}, {"config", std::move(config)}}}};
}

Json manifests(Json object, Json more = Json::object()) {
  more["manifests"] = Json::array({std::move(object)});
  return more;
}

Json export_of(const std::string& kind, const std::string& name, const std::string& path) {
  const Json rule{{"key", "taken"},
                  {"jsonPath", path},
                  {"fromResource", {{"apiVersion", "v1"}, {"kind", kind}, {"name", name}}}};
  return {{"exports", {{"exports", Json::array({rule})}}}};
}

/// "phase reason" of a DeployItem that has run.
std::string end_of(const std::string& project, const std::string& name) {
  const auto item = get("home", k_items, name, project);
  return !item ? "gone"
               : cat(data::string_at(*item, {"status", "phase"}), ' ',
                     data::string_at(*item, {"status", "lastError", "reason"}));
}

std::string said_of(const std::string& project, const std::string& name) {
  const auto item = get("home", k_items, name, project);
  return item ? std::string(data::string_at(*item, {"status", "lastError", "message"})) : "gone";
}

}  // namespace

TEST_CASE("item limits: an operator's rights are not those of a project's items") {
  World world("limits");
  const std::string project = world.name();
  world.make_project(project);
  const Json theirs{{"apiVersion", "v1"},
                    {"kind", "Secret"},
                    {"metadata", {{"name", "db-export"}, {"namespace", project}}},
                    {"data", {{"config", "dGhlaXJz"}, {"more", "dGhlaXJz"}}}};
  Json foreign = limited_config_map("foreign", project);
  foreign["data"]["by"] = "hand";
  put("home", {theirs, foreign});
  const Json secret_before = *get("home", "secret", "db-export", project);
  const Json map_before = *get("home", "configmap", "foreign", project);

  const Json binding{
      {"apiVersion", "rbac.authorization.k8s.io/v1"},
      {"kind", "ClusterRoleBinding"},
      {"metadata", {{"name", world.name("admin")}}},
      {"roleRef",
       {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", "view"}}}};
  const Json pod{{"apiVersion", "v1"},
                 {"kind", "Pod"},
                 {"metadata", {{"name", "host"}}},
                 {"spec",
                  {{"volumes", Json::array({{{"name", "h"}, {"hostPath", {{"path", "/"}}}}})},
                   {"containers", Json::array({{{"name", "c"}, {"image", "none"}}})}}}};
  const Json own_secret{{"apiVersion", "v1"},
                        {"kind", "Secret"},
                        {"metadata", {{"name", "own"}}},
                        {"data", {{"a", "Yg=="}}}};
  const Json peeking{
      {"name", "peek"},
      {"resourceSelector", Json::array({{{"apiVersion", "v1"},
                                         {"kind", "ConfigMap"},
                                         {"namespace", "kube-system"},
                                         {"name", "extension-apiserver-authentication"}}})},
      {"requirements", Json::array({{{"jsonPath", ".data"}, {"operator", "exists"}}})}};
  const Json checks{{"readinessChecks", {{"custom", Json::array({peeking})}}}};
  const Json mount{
      {"script", "wc -c < /t/token"},
      {"volumeMounts", Json::array({{{"name", "kubist-token"}, {"mountPath", "/t"}}})}};
  const std::string manifest = "kubist.io/manifest";
  put("home",
      {deploy_item(project, "admin", manifest, manifests(binding)),
       deploy_item(project, "system", manifest,
                   manifests(limited_config_map(world.name("system"), "kube-system"))),
       deploy_item(
           project, "thief", manifest,
           manifests(limited_config_map("thief"), export_of("Secret", "db-export", ".data.more"))),
       deploy_item(project, "peek", manifest, manifests(limited_config_map("peek"), checks)),
       deploy_item(project, "over", manifest, manifests(limited_config_map("foreign"))),
       deploy_item(project, "host", manifest, manifests(pod)),
       deploy_item(project, "db", "kubist.io/mock", {{"export", {{"port", 1}}}}),
       deploy_item(project, "token", "kubist.io/script", mount),
       deploy_item(project, "secret", manifest, manifests(own_secret)),
       deploy_item(
           project, "fine", manifest,
           manifests(limited_config_map("own"), export_of("ConfigMap", "own", ".data.by")))});
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=60s"}));
  CHECK_MESSAGE(run.exit_code != 0, run.out, run.err);

  CHECK(end_of(project, "admin") == "Failed KindNotAllowed");
  CHECK(
      said_of(project, "admin")
          .find(cat("ClusterRoleBinding.rbac.authorization.k8s.io in spec.items.kinds of Project ",
                    project)) != std::string::npos);
  CHECK(!get("home", "clusterrolebinding", world.name("admin")));
  CHECK(end_of(project, "system") == "Failed NamespaceNotAllowed");
  CHECK(!get("home", "configmap", world.name("system"), "kube-system"));
  CHECK(end_of(project, "thief") == "Failed Forbidden");
  CHECK(!get("home", "secret", "thief-export", project));
  CHECK(end_of(project, "peek") == "Failed NamespaceNotAllowed");
  CHECK(end_of(project, "over") == "Failed NameTaken");
  CHECK(*get("home", "configmap", "foreign", project) == map_before);
  CHECK(end_of(project, "host") == "Failed PodNotAllowed");
  CHECK(end_of(project, "db") == "Failed NameTaken");
  CHECK(*get("home", "secret", "db-export", project) == secret_before);
  CHECK(end_of(project, "token") == "Failed InvalidConfiguration");
  CHECK(list("home", "pods", project).empty());
  CHECK(end_of(project, "fine") == "Succeeded ");
  CHECK(get("home", "secret", "fine-export", project));
  // Kubist's own limits would let it: the API server does not.
  CHECK(end_of(project, "secret") == "Failed Forbidden");
  const std::string account = cat("system:serviceaccount:", project, ":kubist-project");
  CHECK_MESSAGE(said_of(project, "secret").find(account) != std::string::npos,
                said_of(project, "secret"));
  CHECK(!get("home", "secret", "own", project));

  // The Project's word is an administrator's.
  patch(
      "home", "projects.kubist.io", project, "", kubist::kube::PatchType::merge,
      {{"spec",
        {{"items", {{"kinds", {"ClusterRoleBinding.rbac.authorization.k8s.io", "ConfigMap"}}}}}}});
  const Words again =
      world.as_user({"reconcile", "Project/" + project, "--timeout=60s", "--force"});
  run_kubist(again);
  CHECK(end_of(project, "admin") == "Failed Forbidden");
  must(kubectl("home",
               {"create", "clusterrolebinding", world.name("grant"), "--clusterrole=cluster-admin",
                cat("--serviceaccount=", project, ":kubist-project")}));
  run_kubist(again);
  CHECK(end_of(project, "admin") == "Succeeded ");
  CHECK(get("home", "clusterrolebinding", world.name("admin")));
  it::remove("home", "clusterrolebinding", world.name("grant"));
  CHECK(end_of(project, "over") == "Succeeded ");
  CHECK(end_of(project, "system") == "Failed NamespaceNotAllowed");
  CHECK(!get("home", "configmap", world.name("system"), "kube-system"));
  it::remove("home", "clusterrolebinding", world.name("admin"));
  it::remove("home", "configmap", world.name("system"), "kube-system");
}

TEST_CASE("item limits: a VirtualCluster that was refused its namespace is no way into it") {
  World world("refused");
  const std::string project = world.name();
  world.make_project(project);
  const std::string name = world.name("map");
  const std::string part =
      cat("function(all) [{name: 'x', type: 'kubist.io/manifest', target: {name: 'system'}, "
          "config: {manifests: [{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: '",
          name, "'}}]}}]");
  Json direct =
      deploy_item(project, "direct", "kubist.io/manifest", manifests(limited_config_map(name)));
  direct["spec"]["target"] = {{"name", "taken"}};
  put("home",
      {Json{{"apiVersion", "v1"},
            {"kind", "Namespace"},
            {"metadata", {{"name", world.name("taken")}}}},
       object("Cluster", project, "home", {{"home", true}}),
       virtual_cluster(project, "system", "home", "kube-system", {{"adopt", true}}),
       virtual_cluster(project, "taken", "home", world.name("taken")),
       object("Execution", project, "job",
              {{"items",
                Json::array({{{"name", "parts"}, {"type", "Templates"}, {"template", part}}})}}),
       direct});
  const CommandResult run = run_kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  CHECK_MESSAGE(run.exit_code != 0, run.out, run.err);
  CHECK(reason(get("home", "virtualclusters.kubist.io", "system", project), "Ready") ==
        "NamespaceNotAllowed");
  CHECK(reason(get("home", "virtualclusters.kubist.io", "taken", project), "Ready") ==
        "NamespaceExists");
  CHECK(end_of(project, "job-parts-x") == "Failed NamespaceNotAllowed");
  CHECK(!get("home", "configmap", name, "kube-system"));

  run_kubist({"deployitem", "reconcile", "direct", "-n", project});
  CHECK(end_of(project, "direct") == "Failed NamespaceNotAllowed");
  CHECK(!get("home", "configmap", name, world.name("taken")));

  // Nor for the state of an item, which is handled beside runs.
  Json kept = deploy_item(project, "kept", "kubist.io/script", {{"script", "true"}});
  kept["spec"]["target"] = {{"name", "system"}};
  put("home", {kept});
  const CommandResult emptied =
      run_kubist(as_administrator({"deployitem", "state", "rm", "kept", "-n", project}));
  CHECK(emptied.exit_code == 1);
  CHECK(emptied.err.find("namespace kube-system of the home cluster is reserved") !=
        std::string::npos);
  const auto secrets = list("home", "secrets", "kube-system");
  CHECK(std::none_of(secrets.begin(), secrets.end(), [](const Json& secret) {
    return data::string_at(secret, {"metadata", "name"}).find("kept") != std::string_view::npos;
  }));
  it::remove("home", "configmap", name, "kube-system");
}
