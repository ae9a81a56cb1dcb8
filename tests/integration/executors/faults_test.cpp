// What is wrong with one node stays with it and what is below it.
#include <set>

#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace it;

const char* const k_nowhere = "https://10.77.0.2:1";  // nothing listens there

Json changed(const std::string& part, const Json& value) {
  Json config = small_kubeconfig("https://10.77.0.2:6444");
  (part == "proxy-url" || part == "certificate-authority" ? config["clusters"][0]["cluster"]
                                                          : config["users"][0]["user"])[part] =
      value;
  return config;
}

std::optional<Json> cluster(const std::string& project, const std::string& name) {
  return get("home", "clusters.kubist.io", name, project);
}

void add_cluster(std::vector<Json>& objects, const std::string& project, const std::string& name,
                 const std::string& kubeconfig) {
  objects.push_back(secret(project, name, kubeconfig));
  objects.push_back(object("Cluster", project, name, {{"kubeconfigSecretRef", {{"name", name}}}}));
  objects.push_back(virtual_cluster(project, "on-" + name, name, project + "-on-" + name));
}

/// Neither the lock nor what is told of failures.
bool is_beside(const AuditedWrite& write) {
  return write.resource == "leases" || write.resource == "events";
}

}  // namespace

TEST_CASE("reconcile: a cluster that cannot be used fails with its subtree alone") {
  World world("faults");
  const std::string project = world.name();
  world.make_project(project);
  std::vector<Json> objects{object("Cluster", project, "good", {{"home", true}}),
                            virtual_cluster(project, "on-good", "good", world.name("good"))};
  const std::vector<std::string> forbidden{"exec", "proxy", "files"};
  add_cluster(objects, project, "exec",
              changed("exec", {{"apiVersion", "client.authentication.k8s.io/v1"},
                               {"command", "/bin/true"},
                               {"interactiveMode", "Never"}})
                  .dump());
  add_cluster(objects, project, "proxy", changed("proxy-url", "http://10.77.0.2:3128").dump());
  add_cluster(objects, project, "files",
              changed("certificate-authority", "/etc/ssl/ca.pem").dump());
  add_cluster(objects, project, "gone", small_kubeconfig(k_nowhere).dump());
  put("home", objects);

  const CommandResult first = run_kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  CHECK_MESSAGE(first.exit_code == 1, first.out, first.err);
  for (const std::string& name : forbidden) {
    CAPTURE(name);
    const auto node = cluster(project, name);
    CHECK(condition(node, "Ready") == "False");
    CHECK(condition(node, "Stalled") == "True");
    CHECK(reason(node, "Stalled") == "KubeconfigNotAllowed");
    CHECK(condition(vc(project, "on-" + name), "Ready") == "Unknown");
    CHECK(reason(vc(project, "on-" + name), "Ready") == "ParentNotReady");
  }
  CHECK(condition(cluster(project, "gone"), "Ready") == "False");
  CHECK(condition(cluster(project, "gone"), "Reconciling") == "True");
  CHECK(condition(cluster(project, "gone"), "Stalled") == "False");
  CHECK(condition(vc(project, "on-gone"), "Ready") == "Unknown");
  CHECK(condition(cluster(project, "good"), "Ready") == "True");
  CHECK(condition(vc(project, "on-good"), "Ready") == "True");
  CHECK(condition(get("home", "kproj", project), "Ready") == "True");
  CHECK(condition(get("home", "kproj", project), "TreeReady") == "False");

  // Again: only what is tried again has anything new to say.
  Audit audit("home");
  const CommandResult second =
      run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=60s"}));
  CHECK_MESSAGE(second.exit_code == 1, second.out, second.err);
  bool tried = false;
  for (const AuditedWrite& write : audit.writes(world.user())) {
    CAPTURE(write.to_string());
    const bool subtree = write.name == "gone" || write.name == "on-gone";
    CHECK((is_beside(write) || (write.subresource == "status" && subtree)));
    tried = tried || (write.resource == "clusters" && write.name == "gone");
  }
  CHECK(tried);  // it counts its failures
}

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
    } else if (!is_beside(write)) {
      others.insert(write.resource + '/' + write.name);
    }
  }
  // The fault itself and what is below it; what is new; and above, that the tree is not Ready.
  CHECK(statuses == std::set<std::string>{"clusters/fails", "virtualclusters/on-fails",
                                          "virtualclusters/new", "clusters/good",
                                          "projects/" + project});
  CHECK(others == std::set<std::string>{"virtualclusters/new", "namespaces/" + world.name("new"),
                                        "rolebindings/kubist-project"});
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
    if (!is_beside(write)) {
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

TEST_CASE("reconcile: a virtual cluster cannot reach for a namespace that is not its project's") {
  World world("reach");
  const std::string project = world.name();
  const std::string other = world.name("other");
  world.make_project(project);
  world.make_project(other, {{"home", {{"namespaces", {other + "-*"}}}}});
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "system", "home", "kube-system", {{"adopt", true}}),
               virtual_cluster(project, "theirs", "home", other, {{"adopt", true}}),
               virtual_cluster(project, "foreign", "home", "policy-not-granted"),
               virtual_cluster(project, "fine", "home", world.name("fine"))});
  const Json system_before = *get("home", "namespace", "kube-system");
  const Json theirs_before = *get("home", "namespace", other);
  const CommandResult run = run_kubist({"reconcile", "Project/" + project});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  for (const char* name : {"system", "theirs", "foreign"}) {
    CAPTURE(name);
    CHECK(condition(vc(project, name), "Stalled") == "True");
    CHECK(reason(vc(project, name), "Ready") == "NamespaceNotAllowed");
  }
  CHECK(condition(vc(project, "fine"), "Ready") == "True");
  CHECK(*get("home", "namespace", "kube-system") == system_before);
  CHECK(*get("home", "namespace", other) == theirs_before);
  CHECK(!get("home", "namespace", "policy-not-granted"));
}
