// One kubist at a time on a project, and no harm from one that is killed.
#include <algorithm>

#include <doctest/doctest.h>
#include <signal.h>

#include <kubist/data/pointer.hpp>

#include "credentials.hpp"
#include "support.hpp"

namespace {

using namespace it;
namespace data = kubist::data;

std::vector<Json> tree(const std::string& project, int count) {
  std::vector<Json> all{object("Cluster", project, "home", {{"home", true}})};
  for (int i = 0; i < count; ++i) {
    const std::string name = "v" + std::to_string(i);
    all.push_back(virtual_cluster(project, name, "home", project + "-" + name));
  }
  return all;
}

Json lease(const std::string& ns) {
  return {{"apiVersion", "coordination.k8s.io/v1"},
          {"kind", "Lease"},
          {"metadata",
           {{"name", "kubist"}, {"namespace", ns}, {"annotations", {{"kubist.io/run", "run-7"}}}}},
          {"spec",
           {{"holderIdentity", "somebody@else"},
            {"leaseDurationSeconds", 15},
            {"renewTime", "2026-01-01T00:00:00.000000Z"}}}};
}

/// Has this user asked who holds the lock?
bool looks_at_lock(Audit& audit, const std::string& user) {
  const auto requests = audit.requests(user);
  return std::any_of(requests.begin(), requests.end(), [](const Json& request) {
    return data::string_at(request, {"verb"}) == "get" &&
           data::string_at(request, {"objectRef", "resource"}) == "leases";
  });
}

}  // namespace

TEST_CASE("lock: a project that another kubist holds is left alone, with exit code 6") {
  World world("held");
  const std::string project = world.name();
  world.make_project(project);
  put("home", tree(project, 2));
  free_lock(project);
  put("home", {lease(project)});
  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "Project/" + project, "--lock-timeout=0s"}));
  CHECK_MESSAGE(run.exit_code == 6, run.out, run.err);
  CHECK((run.out + run.err).find("somebody@else") != std::string::npos);
  CHECK((run.out + run.err).find("run-7") != std::string::npos);
  CHECK(audit.writes(world.user()).empty());
  CHECK(!get("home", "namespace", project + "-v0"));

  // Its holder never renews: once the lease is stale the next run takes it, which has that patience
  // without being told to.
  const CommandResult later = run_kubist({"reconcile", "Project/" + project});
  CHECK_MESSAGE(later.exit_code == 0, later.out, later.err);
  CHECK(get("home", "namespace", project + "-v0").has_value());

  // What has its finalizer already is refused further in.
  put("home",
      {virtual_cluster(project, "v0", "home", project + "-v0", {{"labels", {{"a", "b"}}}})});
  free_lock(project);
  put("home", {lease(project)});
  const CommandResult again = run_kubist({"reconcile", "Project/" + project, "--lock-timeout=0s"});
  CHECK_MESSAGE(again.exit_code == 6, again.out, again.err);
  CHECK(again.out.find("Locked") != std::string::npos);
  free_lock(project);
}

TEST_CASE("lock: the writes of two kubists at once never interleave") {
  World world("two");
  const std::string project = world.name();
  world.make_project(project);
  put("home", tree(project, 6));
  // A third one holds the lock until both want it: so they do meet.
  free_lock(project);
  put("home", {lease(project)});
  Audit audit("home");
  const Words args{"reconcile", "Project/" + project, "--lock-timeout=60s"};
  Background one(world.as_user(args, "-one"));
  Background two(world.as_user(args, "-two"));
  CHECK(eventually([&] {
    return looks_at_lock(audit, world.user() + "-one") &&
           looks_at_lock(audit, world.user() + "-two");
  }));
  free_lock(project);
  const auto first = one.wait(90);
  const auto second = two.wait(90);
  CHECK_MESSAGE(first == 0, one.output());
  CHECK_MESSAGE(second == 0, two.output());
  std::vector<std::string> turns;
  for (const AuditedWrite& write : audit.writes(world.user())) {
    const bool free = write.resource == "leases" || write.resource == "roots";
    if (!free && (turns.empty() || turns.back() != write.user)) {
      turns.push_back(write.user);
    }
  }
  CHECK(!turns.empty());
  CHECK(turns.size() <= 2);
  must(kubectl("home",
               {"wait", "--for=condition=Ready", "kvc", "--all", "-n", project, "--timeout=5s"}));
}

TEST_CASE("lock: the Root's status is never written over one that its writer has not seen") {
  World world("rootlock");
  const std::string project = world.name();
  world.make_project(project);
  const RootGuard root;
  for (int round = 0; round < 3; ++round) {
    // Something new for the Root to say: its tree is not Ready, or is again.
    auto all = tree(project, 1);
    if (round % 2 == 0) {
      all[0]["spec"] = {{"kubeconfigSecretRef", {{"name", "missing"}}}};
    }
    put("home", all);
    Audit audit("home");
    const Words args{"reconcile", "Project/" + project, "--lock-timeout=60s"};
    Background one(world.as_user(args, "-one"));
    Background two(world.as_user(args, "-two"));
    const int expected = round % 2 == 0 ? 1 : 0;
    CHECK_MESSAGE(one.wait(90) == expected, one.output());
    CHECK_MESSAGE(two.wait(90) == expected, two.output());
    std::size_t of_root = 0;
    for (const AuditedWrite& write : audit.writes(world.user())) {
      of_root += write.resource == "roots" ? 1 : 0;
    }
    CHECK(of_root == 1);  // whoever came second saw it and had nothing to add
    CHECK(condition(get("home", "kroot", "root"), "TreeReady") ==
          (expected == 0 ? "True" : "False"));
  }
}

TEST_CASE("reconcile: killed in the middle, the next run converges") {
  World world("kill");
  const std::string project = world.name();
  world.make_project(project);
  put("home", tree(project, 60));
  {
    Background run({"reconcile", "Project/" + project, "--parallelism=1"});
    REQUIRE_MESSAGE(
        eventually([&] { return get("home", "namespace", project + "-v1").has_value(); }),
        run.output());
    run.signal(SIGKILL);
    REQUIRE(run.wait(10) == 137);
  }
  const CommandResult next = run_kubist({"reconcile", "Project/" + project});
  CHECK_MESSAGE(next.exit_code == 0, next.out, next.err);
  must(kubectl("home", {"wait", "--for=condition=TreeReady", "kproj/" + project, "--timeout=5s"}));
  for (int i = 0; i < 60; i += 10) {
    CHECK(get("home", "namespace", project + "-v" + std::to_string(i)).has_value());
  }
  const CommandResult third = run_kubist({"reconcile", "Project/" + project});
  CHECK_MESSAGE(third.out.find("; 0 writes") != std::string::npos, third.out);
}

TEST_CASE("reconcile: killed when only the inventory had been written, the next run goes on") {
  World world("inventory");
  const std::string project = world.name();
  world.make_project(project);
  put("home", tree(project, 3));
  // As a killed run leaves it: the finalizer and the entry are there, the namespace is not (v0,
  // v2), or is there but its status not (v1).
  for (const char* name : {"v0", "v1", "v2"}) {
    const Json entry{{"version", "v1"}, {"kind", "Namespace"}, {"name", project + '-' + name}};
    const Json status{{"status", {{"inventory", Json::array({entry})}}}};
    must(kubectl("home", {"patch", "kvc", name, "-n", project, "--type=merge", "-p",
                          R"({"metadata":{"finalizers":["kubist.io/finalizer"]}})"}));
    must(kubectl("home", {"patch", "kvc", name, "-n", project, "--subresource=status",
                          "--type=merge", "-p", status.dump()}));
  }
  const std::string home_uid((*get("home", "namespace", "kube-system"))["metadata"]["uid"]);
  put("home", {Json{{"apiVersion", "v1"},
                    {"kind", "Namespace"},
                    {"metadata",
                     {{"name", project + "-v1"},
                      {"labels", {{"app.kubernetes.io/managed-by", "kubist"}}},
                      {"annotations",
                       {{"kubist.io/owner", home_uid + "/VirtualCluster/" + project + "/v1"}}}}}}});
  // One of them is deleted before anybody looks again: nothing of it may stay, and nothing hang.
  must(run_kubist({"delete", "vc", "v2", "-n", project, "--timeout=30s"}));
  CHECK(!get("home", "namespace", project + "-v2"));
  const CommandResult next = run_kubist({"reconcile", "Project/" + project});
  CHECK_MESSAGE(next.exit_code == 0, next.out, next.err);
  for (const std::string name : {"v0", "v1"}) {
    const auto made = get("home", "namespace", project + '-' + name);
    REQUIRE(made);
    const Json entry = (*get("home", "kvc", name, project))["status"]["inventory"][0];
    CHECK(entry["uid"] == (*made)["metadata"]["uid"]);
    CHECK(!entry.contains("adopted"));
  }
  const CommandResult third = run_kubist({"reconcile", "Project/" + project});
  CHECK_MESSAGE(third.out.find("; 0 writes") != std::string::npos, third.out);
  must(run_kubist(as_administrator({"delete", "project", project, "--timeout=60s"})));
  CHECK(!get("home", "namespace", project + "-v0"));
  CHECK(!get("home", "namespace", project + "-v1"));
}
