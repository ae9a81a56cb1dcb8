// A tree of 3 projects with 2 clusters each: everything becomes Ready, and a second run writes
// nothing.
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace it;

// 20 virtual clusters in all: 4 on home and 3 (2 in the last project) on the target.
std::vector<Json> tree_below(const std::string& project, int homes, int targets,
                             const std::string& kubeconfig) {
  std::vector<Json> all{
      secret(project, "target", kubeconfig), object("Cluster", project, "home", {{"home", true}}),
      object("Cluster", project, "target", {{"kubeconfigSecretRef", {{"name", "target"}}}})};
  for (int i = 0; i < homes + targets; ++i) {
    const bool home = i < homes;
    const std::string name = (home ? "h" : "t") + std::to_string(i);
    all.push_back(virtual_cluster(project, name, home ? "home" : "target", project + "-" + name,
                                  in_the_mesh()));
  }
  return all;
}

std::string first_of(const std::vector<AuditedWrite>& writes) {
  std::string text;
  for (const AuditedWrite& write : writes) {
    text += write.to_string() + '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("reconcile: a tree becomes Ready, and the second run writes nothing anywhere" *
          doctest::description("seed 1.1: executors keep each resource aligned")) {
  World world("tree");
  const auto [config, target_user] = world.token_kubeconfig("target1");
  Words selection{"reconcile"};
  std::vector<Json> below;
  for (int p = 0; p < 3; ++p) {
    const std::string project = world.name("p" + std::to_string(p));
    world.make_project(project);
    selection.push_back("Project/" + project);
    const auto tree = tree_below(project, 4, p == 2 ? 2 : 3, config);
    below.insert(below.end(), tree.begin(), tree.end());
  }
  put("home", below);

  Audit first_home("home");
  Audit first_target("target1");
  const CommandResult first = run_kubist(world.as_user(selection));
  REQUIRE_MESSAGE(first.exit_code == 0, first.out, first.err);
  CHECK(first.out.find("29 nodes: 29 ready") != std::string::npos);
  CHECK(first_home.writes(world.user()).size() > 20);
  CHECK(first_target.writes(target_user).size() >= 8);

  for (int p = 0; p < 3; ++p) {
    const std::string project = world.name("p" + std::to_string(p));
    for (const char* type : {"Ready", "TreeReady"}) {
      const std::string wait = std::string("--for=condition=") + type;
      must(kubectl("home", {"wait", wait, "projects.kubist.io/" + project, "--timeout=5s"}));
      must(kubectl("home", {"wait", wait, "clusters.kubist.io,virtualclusters.kubist.io", "--all",
                            "-n", project, "--timeout=5s"}));
    }
    const auto made = get("target1", "namespace", project + "-t4");
    REQUIRE(made);
    CHECK((*made)["metadata"]["labels"]["istio-injection"] == "enabled");
    CHECK((*made)["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "kubist");
  }

  Audit home("home");
  Audit target("target1");
  const CommandResult second = run_kubist(world.as_user(selection));
  REQUIRE_MESSAGE(second.exit_code == 0, second.out, second.err);
  CHECK(second.out.find("; 0 writes") != std::string::npos);
  std::size_t home_reads = 0;
  std::size_t target_reads = 0;
  const auto home_writes = home.writes(world.user(), &home_reads);
  const auto target_writes = target.writes(target_user, &target_reads);
  CHECK_MESSAGE(home_writes.empty(), first_of(home_writes));
  CHECK_MESSAGE(target_writes.empty(), first_of(target_writes));
  CHECK(home_reads > 5);  // the filter does see this run
  CHECK(target_reads > 5);
}

TEST_CASE("reconcile: what may not be checked is told to all alike") {
  World world("denied");
  make_place(world);  // its Cluster looks at Istio, which takes more than the printed rights
  must(run_kubist(world.as_user({"reconcile", "Project/" + world.name()}, "-one")));
  const auto cluster = get("home", "clusters.kubist.io", "home", world.name());
  REQUIRE(condition(cluster, "IstioReady") == "Unknown");
  const std::string told = message(cluster, "IstioReady");
  CHECK_MESSAGE(told.find("the caller cannot list resource") != std::string::npos, told);
  CHECK_MESSAGE(cluster->dump().find(world.user()) == std::string::npos, cluster->dump());

  Audit home("home");
  must(run_kubist(world.as_user({"reconcile", "Project/" + world.name()}, "-two")));
  const auto writes = home.writes(world.user() + "-two");
  CHECK_MESSAGE(writes.empty(), first_of(writes));
}
