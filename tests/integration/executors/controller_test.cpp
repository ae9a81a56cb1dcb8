// Replicas of the controller: they share the projects, and take over from one that ends, dies or
// hangs.
#include <algorithm>

#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/util/text.hpp>

#include "programs.hpp"
#include "replicas.hpp"
#include "support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

/// The namespace that a write is in, or about.
std::string place_of(const AuditedWrite& write) { return write.ns.empty() ? write.name : write.ns; }

void change(const std::string& project, const std::string& tier) {
  put("home",
      {virtual_cluster(project, "dev", "home", project + "-dev", {{"labels", {{"tier", tier}}}})});
}

/// All of it: the label is there, and the status says so.
bool all_changed(const std::vector<std::string>& projects, const std::string& tier) {
  return std::all_of(projects.begin(), projects.end(), [&](const std::string& project) {
    const auto live = vc(project, "dev");
    return label(project + "-dev", "tier") == tier && condition(live, "Ready") == "True" &&
           data::int_at(*live, {"status", "observedGeneration"}) ==
               data::int_at(*live, {"metadata", "generation"});
  });
}

/// Changes these while the API server takes its time over the write, so that a replica that is
/// stopped then is in the middle of it.
void change_halfway(FaultProxy& proxy, const std::vector<std::string>& projects,
                    const std::string& tier) {
  proxy.rules(Json::array({{{"method", "PATCH"},
                            {"path", "/namespaces/[^/]*-dev\\?"},
                            {"fault", "latency"},
                            {"milliseconds", 2000}}}));
  for (const std::string& project : projects) {
    change(project, tier);
  }
  REQUIRE(eventually([&] { return proxy.counts().front().acted > 0; }));
}

/// The first of several replicas that has some of the projects.
std::string one_of(Replicas& replicas, const std::vector<std::string>& projects,
                   const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!replicas.of(projects, name).empty()) {
      return name;
    }
  }
  FAIL("none of the replicas has a project");
  return {};
}

}  // namespace

TEST_CASE("controller: three replicas share 30 projects, and none is written by two of them") {
  Replicas r("share");
  const std::vector<std::string> names{"one", "two", "three"};
  for (const std::string& name : names) {
    r.start(name);
  }
  r.know_each_other();  // or a project may change hands while the writes are counted
  const auto projects = make_projects(r.world, 30);
  REQUIRE_MESSAGE(eventually(
                      [&] {
                        return std::all_of(
                            projects.begin(), projects.end(), [](const auto& project) {
                              return condition(vc(project, "dev"), "Ready") == "True";
                            });
                      },
                      120),
                  r.output());
  REQUIRE_MESSAGE(eventually([&] { return r.all_held_by(projects, names); }), r.output());
  for (const std::string& name : names) {
    CHECK_MESSAGE(!r.of(projects, name).empty(), name, '\n', r.output());
  }

  Audit audit("home");
  for (const std::string& project : projects) {
    change(project, "new");
  }
  CHECK_MESSAGE(eventually([&] { return all_changed(projects, "new"); }, 60), r.output());
  std::map<std::string, std::set<std::string>> writers;  // by namespace
  std::map<std::string, int> times;
  for (const std::string& name : names) {
    for (AuditedWrite& write : audit.writes(r.user(name))) {
      writers[place_of(write)].insert(name);
      write.user.clear();
      times[write.to_string()] += write.resource == "leases" ? 0 : 1;
    }
  }
  for (const std::string& project : projects) {
    CHECK_MESSAGE(writers[project] == std::set<std::string>{r.holder(project)}, project);
    const std::string ns = project + "-dev";
    CHECK_MESSAGE(times[cat(" patch namespaces ", ns, '/', ns)] == 1, project);
  }
  for (const auto& [what, count] : times) {
    CHECK_MESSAGE(count <= 1, what);
  }
}

TEST_CASE("controller: one that is killed, and one that was held up, lose their projects") {
  Replicas r("lost");
  FaultProxy proxy;
  const std::vector<std::string> names{"one", "two", "three"};
  for (const std::string& name : names) {
    r.start(name, &proxy);
  }
  const auto projects = make_projects(r.world, 9);
  const auto spread = [&] {
    return r.all_held_by(projects, names) &&
           std::all_of(projects.begin(), projects.end(), [](const auto& project) {
             return condition(vc(project, "dev"), "Ready") == "True";
           });
  };
  REQUIRE_MESSAGE(eventually(spread, 60), r.output());

  const std::string killed = one_of(r, projects, names);
  const auto orphans = r.of(projects, killed);
  change_halfway(proxy, orphans, "taken");
  r.running[killed]->signal(SIGKILL);
  CHECK(r.running[killed]->wait(10) == 137);
  proxy.rules(Json::array());
  CHECK_MESSAGE(eventually([&] { return all_changed(orphans, "taken"); }, 25), r.output());
  std::vector<std::string> left = names;
  std::erase(left, killed);
  CHECK_MESSAGE(eventually([&] { return r.all_held_by(projects, left); }), r.output());

  const std::string held_up = one_of(r, projects, left);
  const auto its = r.of(projects, held_up);
  std::erase(left, held_up);
  change_halfway(proxy, its, "again");
  r.running[held_up]->signal(SIGSTOP);
  proxy.rules(Json::array());
  CHECK_MESSAGE(eventually([&] { return all_changed(its, "again"); }, 25), r.output());
  CHECK_MESSAGE(eventually([&] { return r.all_held_by(projects, left); }), r.output());
  Audit audit("home");
  r.running[held_up]->signal(SIGCONT);
  CHECK_MESSAGE(
      eventually([&] { return r.running[held_up]->output().find("is gone") != std::string::npos; }),
      r.output());
  // It joins anew, and gets its share back. Before that it writes nothing but its own Lease.
  CHECK_MESSAGE(eventually([&] { return r.of(projects, held_up) == its; }, 60), r.output());
  for (const std::string& project : its) {
    change(project, "back");
  }
  CHECK_MESSAGE(eventually([&] { return all_changed(its, "back"); }), r.output());
  std::set<std::string> taken;
  for (const AuditedWrite& write : audit.writes(r.user(held_up))) {
    const std::string ns = place_of(write);
    if (write.resource == "leases") {
      taken.insert({ns, ns + "-dev"});
    }
    CHECK_MESSAGE(taken.contains(ns), write.to_string());
  }
}

TEST_CASE("controller: SIGTERM ends it with 0, and the next one goes on at once") {
  Replicas r("term");
  Programs programs;
  programs.add("hang", "exec sleep 3000", ", timeout: 900s");
  r.start("one");
  const auto projects = make_projects(r.world, 2);
  REQUIRE_MESSAGE(eventually(
                      [&] {
                        return std::all_of(
                            projects.begin(), projects.end(), [](const auto& project) {
                              return condition(vc(project, "dev"), "Ready") == "True";
                            });
                      },
                      60),
                  r.output());
  // A custom policy hangs while it is told to end.
  const std::string definition = r.world.name("hang");
  put("home", {{{"apiVersion", "kubist.io/v1alpha1"},
                {"kind", "ClusterPolicyDefinition"},
                {"metadata", {{"name", definition}}},
                {"spec", {{"runtime", {{"exec", "hang"}}}}}}});
  put("home", {virtual_cluster(projects[0], "stuck", "home", projects[0] + "-stuck",
                               {{"policies", Json::array({call(definition)})}})});
  REQUIRE_MESSAGE(
      eventually([] { return process_with({cat("sleep", '\0', "3000", '\0')}).has_value(); }),
      r.output());
  Audit audit("home");
  r.running["one"]->signal(SIGTERM);
  CHECK_MESSAGE(r.running["one"]->wait(20) == 0, r.output());
  CHECK(r.output().find("its projects are free") != std::string::npos);
  // A slow server may get to the deletion only when the replica has ended.
  CHECK(eventually(
      [&] { return list("home", "leases.coordination.k8s.io", r.world.name("system")).empty(); }));

  it::remove("home", "virtualclusters.kubist.io", "stuck", projects[0]);
  it::remove("home", "clusterpolicydefinitions.kubist.io", definition);
  r.start("two");
  for (const std::string& project : projects) {
    change(project, "next");
  }
  CHECK_MESSAGE(eventually([&] { return all_changed(projects, "next"); }, 10), r.output());
  CHECK(r.all_held_by(projects, {"two"}));
  // Beside it a run by hand writes nothing in its projects.
  const CommandResult run = run_kubist(
      r.world.as_user({"reconcile", "Project/" + projects[0], "--lock-timeout=0s"}, "-hand"));
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);  // there was nothing to write
  CHECK(audit.writes(r.world.user() + "-hand").empty());
}
