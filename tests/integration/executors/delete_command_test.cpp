// `kubist delete` of kubist's kinds: the engine takes the subtree away, and it always ends.
#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/data/pointer.hpp>

#include "support.hpp"

namespace {

using namespace it;
namespace data = kubist::data;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Json config_map(const std::string& ns, const std::string& name, const Json& finalizers = {}) {
  Json made{{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", name}, {"namespace", ns}}}};
  if (!finalizers.is_null()) {
    made["metadata"]["finalizers"] = finalizers;
  }
  return made;
}

std::vector<Json> small_tree(const World& world) {
  return {object("Cluster", world.name(), "home", {{"home", true}}),
          virtual_cluster(world.name(), "dev", "home", world.name("dev"))};
}

/// A reconciled project with a cluster and a namespace that a finalizer of somebody else holds.
void make_held_tree(World& world) {
  world.make_project(world.name());
  put("home", small_tree(world));
  must(run_kubist({"reconcile", "Project/" + world.name()}));
  put("home", {config_map(world.name("dev"), "held", Json::array({"example.com/hold"}))});
}

void let_go(const World& world) {
  must(kubectl("home", {"patch", "configmap", "held", "-n", world.name("dev"), "--type=merge", "-p",
                        R"({"metadata":{"finalizers":null}})"}));
}

bool is_deleting(const std::string& type, const std::string& name, const std::string& ns = {}) {
  const auto found = get("home", type, name, ns);
  return found && (*found)["metadata"].contains("deletionTimestamp");
}

void check_nothing_left(const World& world) {
  CHECK(!get("home", "kproj", world.name()));
  CHECK(!get("home", "namespace", world.name()));
  CHECK(!get("home", "namespace", world.name("dev")));
}

}  // namespace

TEST_CASE("delete: a project goes with its tree, what was adopted or orphaned stays") {
  World world("whole");
  const std::string project = world.name();
  world.make_project(project,
                     {{"home", {{"namespaces", {world.name("adopted"), project + "-*"}}}}});
  const auto [config, user] = world.token_kubeconfig("target1");
  const Json adopted{
      {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", world.name("adopted")}}}};
  put("home",
      {adopted, secret(project, "target", config),
       object("Cluster", project, "home", {{"home", true}}),
       object("Cluster", project, "target", {{"kubeconfigSecretRef", {{"name", "target"}}}}),
       virtual_cluster(project, "dev", "home", world.name("dev")),
       virtual_cluster(project, "taken", "home", world.name("adopted"), {{"adopt", true}}),
       virtual_cluster(project, "kept", "home", world.name("kept"), {{"deletionPolicy", "Orphan"}}),
       virtual_cluster(project, "far", "target", world.name("far"))});
  must(run_kubist({"reconcile", "Project/" + project}));

  const CommandResult run = run_kubist({"delete", "project", project, "--timeout=120s"});
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  for (const std::string& line :
       {"project.kubist.io \"" + project + "\" deleted",
        std::string("cluster.kubist.io \"target\" deleted"),
        std::string("virtualcluster.kubist.io \"far\" deleted"),
        "left behind by VirtualCluster/" + project + "/taken: namespace " + world.name("adopted"),
        "left behind by VirtualCluster/" + project + "/kept: namespace " + world.name("kept")}) {
    CHECK_MESSAGE(has(run.out, line), line, '\n', run.out);
  }
  // Backwards: a namespace of a cluster before the cluster, that before its project.
  CHECK(run.out.find("\"far\" deleted") < run.out.find("\"target\" deleted"));
  CHECK(run.out.find("\"target\" deleted") < run.out.find('"' + project + "\" deleted"));
  check_nothing_left(world);
  CHECK(!get("target1", "namespace", world.name("far")));
  for (const std::string& name : {world.name("adopted"), world.name("kept")}) {
    const auto left = get("home", "namespace", name);
    REQUIRE(left);
    CHECK_FALSE((*left)["metadata"].contains("deletionTimestamp"));
    CHECK(!(*left)["metadata"].value("annotations", Json::object()).contains("kubist.io/owner"));
  }

  // Once more: there is nothing, which is an error or not.
  const CommandResult again = run_kubist({"delete", "project", project});
  CHECK_MESSAGE(again.exit_code == 1, again.out, again.err);
  CHECK(has(again.err, "not found"));
  CHECK(run_kubist({"delete", "project", project, "--ignore-not-found"}).exit_code == 0);
}

TEST_CASE("delete: names one node, by TYPE/NAME and by label; the rest of the tree stays") {
  World world("part");
  const std::string project = world.name();
  world.make_project(project);
  Json labelled = virtual_cluster(project, "second", "home", world.name("second"));
  labelled["metadata"]["labels"] = {{"stage", "old"}};
  auto tree = small_tree(world);
  tree.push_back(labelled);
  tree.push_back(virtual_cluster(project, "stays", "home", world.name("stays")));
  put("home", tree);
  must(run_kubist({"reconcile", "Project/" + project}));
  must(run_kubist({"delete", "vc/dev", "-n", project, "--timeout=60s"}));
  CHECK(!get("home", "namespace", world.name("dev")));
  const std::string printed =
      must(run_kubist({"delete", "vc", "-l", "stage=old", "-n", project, "-o", "name"}));
  CHECK(printed == "virtualcluster.kubist.io/second\n");
  CHECK(!get("home", "namespace", world.name("second")));
  CHECK(get("home", "namespace", world.name("stays")).has_value());
  must(run_kubist({"delete", "cluster", "home", "-n", project, "--timeout=60s"}));
  CHECK(!get("home", "kvc", "stays", project));
  CHECK(!get("home", "namespace", world.name("stays")));
  CHECK(condition(get("home", "kproj", project), "Ready") == "True");
}

TEST_CASE("delete: files with a tree and plain objects, reconciled or not, leave nothing") {
  World world("files");
  kubist::util::TempDir folder("files");
  std::string text;
  auto all = small_tree(world);
  all.push_back(object("Project", "", world.name(), Json::object()));
  all.push_back(config_map(world.name(), "plain"));
  for (const Json& one : all) {
    text += one.dump() + "\n---\n";
  }
  const std::string file = folder.path() / "all.yaml";
  REQUIRE(kubist::util::write_file(file, text));
  for (const bool reconciled : {false, true}) {
    CAPTURE(reconciled);
    must(run_kubist({"apply", "-f", file}));
    if (reconciled) {
      must(run_kubist({"reconcile", "Project/" + world.name()}));
    }
    const CommandResult run = run_kubist({"delete", "-f", file, "--timeout=60s"});
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    CHECK(has(run.out, "configmap \"plain\" deleted"));
    CHECK(has(run.out, "project.kubist.io \"" + world.name() + "\" deleted"));
    check_nothing_left(world);
  }
}

TEST_CASE("delete: dry runs tell what would go and write nothing") {
  World world("dry");
  world.make_project(world.name());
  put("home", small_tree(world));
  must(run_kubist({"reconcile", "Project/" + world.name()}));
  const auto before = get("home", "kproj", world.name());
  for (const std::string mode : {"client", "server"}) {
    CAPTURE(mode);
    Audit audit("home");
    const CommandResult run =
        run_kubist(world.as_user({"delete", "project", world.name(), "--dry-run=" + mode}));
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    const std::string suffix = mode == "client" ? " (dry run)" : " (server dry run)";
    CHECK_MESSAGE(has(run.out, "virtualcluster.kubist.io \"dev\" deleted from " + world.name() +
                                   " namespace" + suffix),
                  run.out);
    CHECK(has(run.out, "project.kubist.io \"" + world.name() + "\" deleted" + suffix));
    // A dry deletion says so in its body, which is not in the audit log: that all is there
    // afterwards tells the two apart.
    const auto writes = audit.writes(world.user());
    CHECK(writes.empty() == (mode == "client"));  // the server was asked
    for (const AuditedWrite& write : writes) {
      CAPTURE(write.to_string());
      CHECK((write.verb == "delete" &&
             (write.name == world.name() || write.ns.starts_with(world.name()))));
    }
  }
  CHECK(get("home", "kproj", world.name()) == before);
  CHECK(condition(get("home", "kvc", "dev", world.name()), "Ready") == "True");
}

TEST_CASE(
    "delete: --wait=false only asks, also for what no run has seen; reconcile does the rest") {
  World world("ask");
  put("home", {object("Project", "", world.name(), Json::object())});
  must(kubectl("home", {"create", "namespace", world.name()}));
  put("home", small_tree(world));
  const CommandResult run = run_kubist({"delete", "project", world.name(), "--wait=false"});
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(is_deleting("kproj", world.name()));
  CHECK(get("home", "kvc", "dev", world.name()).has_value());
  must(run_kubist({"reconcile", "Project/" + world.name(), "--timeout=60s"}));
  CHECK(!get("home", "kproj", world.name()));
  CHECK(!get("home", "kvc", "dev", world.name()));
  CHECK(get("home", "namespace", world.name()).has_value());  // somebody else's
}

TEST_CASE("delete: what does not go in time is exit code 3, and the next one goes on") {
  World world("late");
  make_held_tree(world);
  const CommandResult late = run_kubist({"delete", "project", world.name(), "--timeout=20s"});
  CHECK_MESSAGE(late.exit_code == 3, late.out, late.err);
  CHECK_MESSAGE(has(late.err, "not deleted: VirtualCluster/" + world.name() + "/dev"), late.err);
  CHECK(has(late.err, "not deleted: Project/" + world.name()));
  CHECK(is_deleting("kproj", world.name()));
  // Off a terminal a line is said once while nothing changes.
  const std::string line = "VirtualCluster/" + world.name() + "/dev: namespace " +
                           world.name("dev") + " is being deleted\n";
  const auto first = late.err.find(line);
  REQUIRE_MESSAGE(first != std::string::npos, late.err);
  CHECK(late.err.find(line, first + 1) == std::string::npos);
  let_go(world);
  const CommandResult next = run_kubist({"delete", "project", world.name(), "--timeout=60s"});
  CHECK_MESSAGE(next.exit_code == 0, next.out, next.err);
  check_nothing_left(world);
}

TEST_CASE("delete: Ctrl-C ends it with 130 and says what was not done; so may kill -9") {
  World world("stop");
  make_held_tree(world);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    CAPTURE(signal);
    Background run({"delete", "project", world.name()});
    const std::string waits = "namespace " + world.name("dev") + " is being deleted";
    REQUIRE_MESSAGE(eventually([&] { return has(run.output(), waits); }), run.output());
    run.signal(signal);
    CHECK_MESSAGE(run.wait(20) == 128 + signal, run.output());
    if (signal != SIGKILL) {
      CHECK_MESSAGE(has(run.output(), "not deleted: VirtualCluster/" + world.name() + "/dev"),
                    run.output());
      CHECK(has(run.output(), "not deleted: Project/" + world.name()));
    }
    CHECK(is_deleting("kproj", world.name()));
  }
  let_go(world);
  const CommandResult next = run_kubist({"reconcile", "Project/" + world.name(), "--timeout=90s"});
  CHECK_MESSAGE(next.exit_code == 0, next.out, next.err);
  check_nothing_left(world);
}

TEST_CASE("delete: with its target gone it fails, and --abandon lists what it leaves") {
  World world("lost");
  const std::string project = world.name();
  world.make_project(project);
  const auto [config, user] = world.token_kubeconfig("target1");
  Json execution =
      object("Execution", project, "script", {{"virtualClusterRef", {{"name", "far"}}}});
  execution["spec"]["items"] =
      Json::array({{{"name", "one"}, {"type", "Script"}, {"script", "true"}}});
  put("home",
      {secret(project, "target", config),
       object("Cluster", project, "target", {{"kubeconfigSecretRef", {{"name", "target"}}}}),
       virtual_cluster(project, "far", "target", world.name("far")), execution});
  // No node runs its pod: the item stays in the middle.
  Background begun({"reconcile", "Project/" + project});
  REQUIRE_MESSAGE(
      eventually([&] {
        const auto item = get("home", "deployitem", "script-one", project);
        return item && data::find_path(*item, {"status", "providerStatus", "pod"}) != nullptr;
      }),
      begun.output());
  begun.signal(SIGINT);
  REQUIRE_MESSAGE(begun.wait(30) == 130, begun.output());
  put("home", {secret(project, "target", small_kubeconfig("https://10.77.0.2:1").dump())});

  const CommandResult stuck = run_kubist({"delete", "project", project, "--timeout=60s"});
  CHECK_MESSAGE(stuck.exit_code == 1, stuck.out, stuck.err);
  CHECK(get("home", "kproj", project).has_value());
  CHECK(get("home", "deployitem", "script-one", project).has_value());

  const CommandResult run =
      run_kubist({"delete", "project", project, "--abandon", "--timeout=90s"});
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK_MESSAGE(has(run.out, "left behind by VirtualCluster/" + project + "/far: namespace " +
                                 world.name("far")),
                run.out);
  CHECK_MESSAGE(has(run.out, "left behind by Execution/" + project + "/script on far: DeployItem " +
                                 project + "/script-one"),
                run.out);
  CHECK(!get("home", "kproj", project));
  CHECK(!get("home", "namespace", project));
  CHECK(get("target1", "namespace", world.name("far")).has_value());
}

TEST_CASE("delete: the Root goes alone, its projects stay") {
  World world("root");
  world.make_project(world.name());
  const RootGuard root;
  must(run_kubist({"reconcile", "Project/" + world.name()}));
  const CommandResult run = run_kubist({"delete", "root", "root", "--timeout=30s"});
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(!get("home", "kroot", "root"));
  CHECK_FALSE(is_deleting("kproj", world.name()));
  must(run_kubist({"reconcile", "Project/" + world.name()}));
  CHECK(condition(get("home", "kproj", world.name()), "Ready") == "True");
}
