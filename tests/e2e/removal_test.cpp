// Trees with DeployItems that ran in real pods, taken away: each item's deleteScript ends
// before its namespace goes, and nothing of it stays.
#include <algorithm>

#include <doctest/doctest.h>

#include "integration/executors/support.hpp"

namespace {

using namespace it;

/// A reconciled project whose item runs `on_delete` when it is taken away.
void make_tree(World& world, const std::string& on_delete) {
  const std::string project = world.name();
  world.make_project(project);
  Json execution = object("Execution", project, "job", {{"virtualClusterRef", {{"name", "dev"}}}});
  execution["spec"]["items"] =
      Json::array({{{"name", "one"},
                    {"type", "Script"},
                    {"image", "localhost/busybox:1"},
                    {"script", "test $OPERATION = RECONCILE; echo 'made: here' > $EXPORT_PATH"},
                    {"deleteScript", "test $OPERATION = DELETE; " + on_delete}}});
  put("home", {object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "dev", "home", world.name("dev")), execution});
  must(run_kubist({"reconcile", "Project/" + project, "--timeout=120s"}));
  REQUIRE(condition(get("home", "execution", "job", project), "Ready") == "True");
}

std::size_t pods_made(const std::vector<AuditedWrite>& writes) {
  return static_cast<std::size_t>(
      std::count_if(writes.begin(), writes.end(), [](const AuditedWrite& write) {
        return write.resource == "pods" && write.verb == "create" && write.subresource.empty();
      }));
}

void check_nothing_left(const World& world) {
  CHECK(!get("home", "kproj", world.name()));
  CHECK(!get("home", "namespace", world.name()));
  CHECK(!get("home", "namespace", world.name("dev")));
}

bool has(const CommandResult& run, const std::string& part) {
  return (run.out + run.err).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("removal: kubist delete undoes what ran, then takes the tree away" *
          doctest::description("seed 2.10: state goes with its item")) {
  World world("undo");
  make_tree(world, "sleep 2; exit 0");
  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"delete", "project", world.name(), "--timeout=120s"}));
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  const auto writes = audit.writes(world.user());
  CHECK(pods_made(writes) == 1);
  const auto at = [&](const std::string& verb, const std::string& resource) {
    return std::find_if(writes.begin(), writes.end(), [&](const AuditedWrite& write) {
      return write.verb == verb && write.resource == resource;
    });
  };
  CHECK(at("create", "pods") < at("delete", "namespaces"));  // the run first
  check_nothing_left(world);
}

TEST_CASE("removal: kubectl delete of every object, then reconcile, does the same") {
  World world("asked");
  make_tree(world, "exit 0");
  const std::string project = world.name();
  must(kubectl("home", {"delete", "kproj", project, "--wait=false"}));
  must(kubectl("home", {"delete", "execution,kvc,cluster.kubist.io", "--all", "-n", project,
                        "--wait=false"}));
  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=120s"}));
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(pods_made(audit.writes(world.user())) == 1);
  check_nothing_left(world);
}

TEST_CASE("removal: a deleteScript that fails keeps its tree, until it may be left out") {
  World world("fails");
  make_tree(world, "exit 7");
  const std::string project = world.name();
  const CommandResult run = run_kubist({"delete", "project", project, "--timeout=120s"});
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  CHECK_MESSAGE(has(run, "exited with code 7"), run.out, run.err);
  CHECK_MESSAGE(has(run, "--without-uninstall deletes it and undoes nothing"), run.out, run.err);
  CHECK(get("home", "deployitem", "job-one", project).has_value());
  CHECK(get("home", "namespace", world.name("dev")).has_value());

  Audit audit("home");
  const CommandResult without = run_kubist(
      world.as_user({"delete", "project", project, "--without-uninstall", "--timeout=120s"}));
  CHECK_MESSAGE(without.exit_code == 0, without.out, without.err);
  CHECK(pods_made(audit.writes(world.user())) == 0);
  check_nothing_left(world);
}
