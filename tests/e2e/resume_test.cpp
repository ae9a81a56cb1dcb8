// What is left of a kubist that was killed, and several at once: one pod a job, state and exports
// right.
#include <csignal>
#include <set>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

constexpr const char* k_items = "deployitems.landscaper.gardener.cloud";

/// An item that counts its runs in its state and exports the count.
void make_counter(const std::string& project) {
  put("home", {Json{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                    {"kind", "DeployItem"},
                    {"metadata", {{"name", "count"}, {"namespace", project}}},
                    {"spec",
                     {{"type", "kubist.io/script"},
                      {"config",
                       {{"image", "localhost/busybox:1"},
                        {"script",
                         "n=$(($(cat $STATE/n 2>/dev/null || echo 0) + 1)); echo $n > $STATE/n\n"
                         "sleep 0.5; echo \"count: $n\" > $EXPORT_PATH\n"}}}}}}});
}

/// The names of the pods that were made, each as often as it was.
std::multiset<std::string> pods_made(Audit& audit, const std::string& user) {
  std::multiset<std::string> names;
  for (const AuditedWrite& write : audit.writes(user)) {
    if (write.resource == "pods" && write.verb == "create" && write.subresource.empty()) {
      names.insert(write.name);
    }
  }
  return names;
}

/// As many pods as runs, none made twice, and the count that the last of them exported.
void check_runs(Audit& audit, const World& world, std::size_t at_least) {
  const auto pods = pods_made(audit, world.user());
  CHECK(pods.size() >= at_least);
  CHECK(std::set<std::string>(pods.begin(), pods.end()).size() == pods.size());
  const Json item = *get("home", k_items, "count", world.name());
  CHECK(data::string_at(item, {"status", "phase"}) == "Succeeded");
  CHECK(must(run_kubist({"deployitem", "exports", "count", "--show", "-n", world.name()})) ==
        cat("count: ", pods.size(), "\n"));
}

}  // namespace

TEST_CASE("resume: whenever a kubist is killed, the next one finishes its job with its pod") {
  World world("killed");
  world.make_project(world.name());
  make_counter(world.name());
  const Words again = world.as_user(
      {"deployitem", "reconcile", "count", "-n", world.name(), "--lock-timeout=60s"});
  Words forced = again;
  forced.push_back("--force");
  Audit audit("home");
  must(run_kubist(again));
  // From before the job is asked for to after its end, which is some 2.5 s later.
  for (int delay = 40; delay < 3000; delay += 450) {
    CAPTURE(delay);
    {
      Background driver(forced);
      kubist::util::sleep_for(std::chrono::milliseconds(delay), {});
      driver.signal(SIGKILL);
      driver.wait(10);
    }
    // Its lock would be stale after 15 s (integration/executors/lock_test.cpp); it is dead for sure.
    must(kubectl("home", {"delete", "lease", "kubist", "-n", world.name(), "--ignore-not-found"}));
    const CommandResult run = run_kubist(again);
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  }
  check_runs(audit, world, 4);
}

TEST_CASE("resume: two kubists at once make one pod a job, and tell of no conflict") {
  World world("two");
  world.make_project(world.name());
  make_counter(world.name());
  must(run_kubist(world.as_user({"reconcile", "Project/" + world.name(), "--timeout=60s"})));
  Audit audit("home");
  const Words words = world.as_user(
      {"reconcile", "Project/" + world.name(), "--timeout=60s", "--lock-timeout=60s"});
  constexpr std::size_t k_rounds = 10;
  for (std::size_t round = 0; round < k_rounds; ++round) {
    must(kubectl("home", {"annotate", k_items, "count", "-n", world.name(), "--overwrite",
                          cat("kubist.io/request=reconcile@", round)}));
    Background one(words);
    Background two(words);
    CHECK_MESSAGE(one.wait(60) == 0, one.output());
    CHECK_MESSAGE(two.wait(60) == 0, two.output());
    CHECK(one.output().find("conflict") == std::string::npos);
    CHECK(two.output().find("conflict") == std::string::npos);
  }
  const auto pods = pods_made(audit, world.user());
  CHECK(pods.size() == k_rounds);
  CHECK(std::set<std::string>(pods.begin(), pods.end()).size() == k_rounds);
  CHECK(must(run_kubist({"deployitem", "exports", "count", "--show", "-n", world.name()})) ==
        cat("count: ", k_rounds + 1, "\n"));
}
