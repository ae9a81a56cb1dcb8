// What a hostile member writes while kubist watches gets it no further than a run of its own, and
// the other project is served all the while.
#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/util/text.hpp>

#include "hostile_checks.hpp"
#include "mesh_kinds.hpp"
#include "printed_roles.hpp"

namespace it::hostile {
namespace {

using kubist::util::cat;

/// The attempts without their verdict as yet, a line each.
std::string open_attempts(const std::vector<Attempt>& all, const Names& names,
                          const Caller& caller) {
  std::string open;
  for (const Attempt& each : all) {
    const std::string missing = missing_verdict(each, names, caller);
    open += missing.empty() ? "" : missing + '\n';
  }
  return open;
}

/// Takes the honest project's ConfigMap away and waits until it is there again.
void check_service(const Names& names, const Background& watch) {
  must(kubectl("home", {"delete", "configmap", "honest", "-n", names.other + "-dev"}));
  CHECK_MESSAGE(eventually([&] {
                  return get("home", "configmap", "honest", names.other + "-dev").has_value();
                }),
                watch.output());
}

void attack_watched(const Names& names, const Caller& caller) {
  const std::vector<Attempt> all = attempts(names, caller.impersonates);
  CHECK(all.size() >= 60);
  const std::vector<Json> before = live(bystanders(names));
  Audit audit("home");
  Background watch(caller.as({"reconcile", "Project/" + names.project, "Project/" + names.other,
                              "--watch", "--timeout=60s"}));
  REQUIRE_MESSAGE(eventually([&] {
                    return get("home", "configmap", "honest", names.other + "-dev").has_value();
                  }),
                  watch.output());

  const auto who = member(names);
  {
    const DeepItem deep(*who, names.project);
    // Routes to a Destination that is not there yet are refused for that, and not looked at again.
    write_all(*who, all, names, [&] {
      CHECK(eventually([&] {
        return condition(get("home", "destinations.kubist.io", "shop", names.project), "Ready") ==
               "True";
      }));
    });
    check_service(names, watch);
    std::string open;
    CHECK_MESSAGE(
        eventually([&] { return (open = open_attempts(all, names, caller)).empty(); }, 240), open,
        watch.output());
    CHECK_MESSAGE(eventually([&] {
                    return watch.output().find(cat("DeployItem/", names.project,
                                                   "/deep cannot be read: nested deeper than 500 "
                                                   "levels")) != std::string::npos;
                  }),
                  watch.output());
    check_service(names, watch);
  }
  check_outcome(all, before, audit, names, caller, watch.output());
  watch.signal(SIGTERM);
  CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
}

}  // namespace

TEST_CASE("hostile member: gets nowhere where an administrator watches, who serves the other") {
  World world("hostile-watch");
  const MeshKinds kinds;
  const Names names(world);
  prepare(world, names);
  attack_watched(names, {[&](const Words& args) { return world.as_user(args); }, world.user()});
}

TEST_CASE("hostile member: gets nowhere where the printed roles watch, who serve the other") {
  World world("hostile-limits");
  const MeshKinds kinds;
  const Names names(world);
  prepare(world, names);
  roles::Account account(names.project, {names.dev()});
  account.add(names.other, {names.other + "-dev"});
  attack_watched(names,
                 {[&](const Words& args) { return account.as(args); }, account.user(), true, true});
}

}  // namespace it::hostile
