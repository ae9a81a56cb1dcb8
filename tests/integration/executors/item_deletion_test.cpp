// DeployItems that are deleted by themselves.
#include <csignal>

#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace it;

constexpr const char* k_type = "deployitems.landscaper.gardener.cloud";

// An Execution of one item, which some run has begun: so it is held by kubist's finalizer.
void make_begun_item(const std::string& project) {
  put("home",
      {object("Execution", project, "job",
              {{"items", Json::array({{{"name", "a"}, {"type", "Script"}, {"script", "true"}}})}})});
  Background run({"reconcile", "Execution/job", "-n", project, "--timeout=60s"});
  REQUIRE(eventually([&] {
    const auto item = get("home", k_type, "job-a", project);
    return item && (*item)["metadata"].contains("finalizers");
  }));
  run.signal(SIGKILL);
  run.wait(10);
}

}  // namespace

TEST_CASE("kubist delete: a DeployItem goes without anybody else's reconcile") {
  World world("item");
  const std::string project = world.name();
  world.make_project(project);
  make_begun_item(project);
  const Words words{"delete", "deployitem", "job-a",        "-n",
                    project,  "--timeout=60s", "--lock-timeout=60s", "--without-uninstall"};
  SUBCASE("with its Execution there") {
    Words dry = words;
    dry.push_back("--dry-run=server");
    const CommandResult planned = run_kubist(dry);
    CHECK_MESSAGE(planned.exit_code == 0, planned.out, planned.err);
    CHECK(get("home", k_type, "job-a", project));
    const CommandResult run = run_kubist(words);
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    CHECK(run.out == "deployitem.landscaper.gardener.cloud \"job-a\" deleted\n");
    CHECK_MESSAGE(run.err.find("belongs to Execution job, which makes it again") !=
                      std::string::npos,
                  run.err);
    CHECK(!get("home", k_type, "job-a", project));
    CHECK(get("home", "executions.kubist.io", "job", project));
  }
  SUBCASE("left over, its Execution gone") {
    must(kubectl("home", {"delete", "executions.kubist.io", "job", "-n", project,
                          "--cascade=orphan", "--wait=false"}));
    must(kubectl("home", {"patch", "executions.kubist.io", "job", "-n", project, "--type=merge",
                          "-p", R"({"metadata":{"finalizers":null}})"}));
    const CommandResult run = run_kubist(words);
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    CHECK(!get("home", k_type, "job-a", project));
  }
  const CommandResult again = run_kubist(words);
  CHECK(again.exit_code == 1);
  CHECK_MESSAGE(again.err.find("not found") != std::string::npos, again.err);
  Words fine = words;
  fine.push_back("--ignore-not-found");
  CHECK(run_kubist(fine).exit_code == 0);
}
