// What is wrong with one node stays with it and what is below it.
#include <set>

#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace it;

const char* const k_nowhere = "https://10.77.0.2:1";  // nothing listens there

std::optional<Json> cluster(const std::string& project, const std::string& name) {
  return get("home", "clusters.kubist.io", name, project);
}

void add_cluster(std::vector<Json>& objects, const std::string& project, const std::string& name,
                 const std::string& kubeconfig) {
  objects.push_back(secret(project, name, kubeconfig));
  objects.push_back(object("Cluster", project, name, {{"kubeconfigSecretRef", {{"name", name}}}}));
  objects.push_back(virtual_cluster(project, "on-" + name, name, project + "-on-" + name));
}

}  // namespace

TEST_CASE("reconcile: a fault writes the status of its node and subtree; siblings go on") {
  World world("isolated");
  const std::string project = world.name();
  world.make_project(project);
  const auto [config, user] = world.token_kubeconfig("target1");
  std::vector<Json> objects{object("Cluster", project, "good", {{"home", true}}),
                            virtual_cluster(project, "on-good", "good", world.name("good"))};
  add_cluster(objects, project, "fails", config);
  put("home", objects);
  must(run_kubist({"reconcile", "Project/" + project}));

  // It loses its server, while a sibling gets something new to do.
  put("home", {secret(project, "fails", small_kubeconfig(k_nowhere).dump()),
               virtual_cluster(project, "new", "good", world.name("new"))});
  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=60s"}));
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  std::set<std::string> statuses;
  std::set<std::string> others;
  for (const AuditedWrite& write : audit.writes(world.user())) {
    if (write.subresource == "status") {
      statuses.insert(write.resource + '/' + write.name);
    } else if (write.resource != "leases") {
      others.insert(write.resource + '/' + write.name);
    }
  }
  // The fault itself and what is below it; what is new; and above, that the tree is not Ready.
  CHECK(statuses == std::set<std::string>{"clusters/fails", "virtualclusters/on-fails",
                                          "virtualclusters/new", "clusters/good",
                                          "projects/" + project});
  CHECK(others == std::set<std::string>{"virtualclusters/new", "namespaces/" + world.name("new")});
  CHECK(condition(vc(project, "new"), "Ready") == "True");
  CHECK(condition(cluster(project, "good"), "TreeReady") == "True");
  CHECK(condition(cluster(project, "fails"), "Reconciling") == "True");
  CHECK(reason(vc(project, "on-fails"), "Ready") == "ParentNotReady");
  const auto project_now = get("home", "kproj", project);
  CHECK(condition(project_now, "Ready") == "True");
  CHECK(condition(project_now, "TreeReady") == "False");

  // It comes back: nothing but its own subtree and the word above is written.
  put("home", {secret(project, "fails", config)});
  Audit back("home");
  must(run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=60s"})));
  statuses.clear();
  for (const AuditedWrite& write : back.writes(world.user())) {
    if (write.resource != "leases") {
      statuses.insert(write.resource + '/' + write.name + '/' + write.subresource);
    }
  }
  CHECK(statuses == std::set<std::string>{"clusters/fails/status",
                                          "virtualclusters/on-fails/status",
                                          "projects/" + project + "/status"});
}

TEST_CASE("reconcile: a kubeconfig that leads to another cluster than before is refused") {
  World world("identity");
  const std::string project = world.name();
  world.make_project(project);
  const auto [config, user] = world.token_kubeconfig("target1");
  std::vector<Json> objects;
  add_cluster(objects, project, "moves", config);
  put("home", objects);
  must(run_kubist({"reconcile", "Project/" + project}));
  const auto before = cluster(project, "moves");
  CHECK(condition(before, "Ready") == "True");

  put("home", {secret(project, "moves", world.token_kubeconfig("home").first)});
  const CommandResult second = run_kubist({"reconcile", "Project/" + project});
  CHECK_MESSAGE(second.exit_code == 1, second.out, second.err);
  const auto after = cluster(project, "moves");
  CHECK(condition(after, "Stalled") == "True");
  CHECK(reason(after, "Ready") == "ClusterIdentityChanged");
  CHECK((*after)["status"]["kubeSystemUID"] == (*before)["status"]["kubeSystemUID"]);
  CHECK(!get("home", "namespace", project + "-on-moves"));
}
