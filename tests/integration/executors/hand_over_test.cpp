// A run by hand beside a controller: the replica does it, or lets go of the project.
#include <regex>
#include <set>

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "execution_support.hpp"
#include "replicas.hpp"

namespace {

using namespace it;
using namespace it::executions;
using kubist::util::cat;
namespace data = kubist::data;
namespace util = kubist::util;

/// What a run of the project printed, but for its name, times and the width of columns.
std::string as_printed(const std::string& out, const std::string& project) {
  std::string text = util::replace_all(out, project, "PROJECT");
  text = std::regex_replace(text, std::regex("[0-9]+\\.[0-9]{2}s"), "TIME");
  return std::regex_replace(text, std::regex(" +"), " ");
}

/// A line of it without the number of writes.
std::string without_writes(const std::string& line) {
  return std::regex_replace(line, std::regex(" [0-9]+ writes?"), "");
}

/// A virtual cluster that changes, and one that cannot be.
std::string project_of(const std::string& project, const std::string& tier) {
  return cat(
      virtual_cluster(project, "dev", "home", project + "-dev", {{"labels", {{"tier", tier}}}})
          .dump(),
      "\n---\n", virtual_cluster(project, "bad", "home", "kube-system").dump(), "\n");
}

std::vector<std::string> objects_of(const std::vector<AuditedWrite>& writes) {
  std::vector<std::string> all;
  for (const AuditedWrite& write : writes) {
    if (write.resource != "leases" && write.resource != "events") {
      all.push_back(cat(write.verb, ' ', write.resource, '/', write.name, ' ', write.subresource));
    }
  }
  return all;
}

bool ready(const std::string& project) { return condition(vc(project, "dev"), "Ready") == "True"; }

}  // namespace

TEST_CASE(
    "hand over: a run prints and ends as without a controller, and the replica alone writes") {
  Replicas r("beside");
  const std::string before = r.world.name("before");
  r.world.make_project(before);
  put("home", {object("Cluster", before, "home", {{"home", true}}),
               virtual_cluster(before, "dev", "home", before + "-dev")});
  REQUIRE(run_kubist({"reconcile", "project/" + before}).exit_code == 0);
  const CommandResult by_itself =
      run_kubist(r.world.as_user({"reconcile", "-f", "-"}, "-hand"), project_of(before, "new"));

  r.start("one");
  const std::string project = make_projects(r.world, 1).front();
  REQUIRE_MESSAGE(eventually([&] { return ready(project) && r.holder(project) == "one"; }, 60),
                  r.output());
  Audit audit("home");
  // It sees the change and what is asked for at once.
  r.running["one"]->signal(SIGSTOP);
  put("home",
      {virtual_cluster(project, "dev", "home", project + "-dev", {{"labels", {{"tier", "new"}}}}),
       virtual_cluster(project, "bad", "home", "kube-system")});
  Background hand(r.world.as_user(
      {"reconcile", "virtualcluster/dev", "virtualcluster/bad", "-n", project}, "-hand"));
  const auto asked = [&](const std::string& name) {
    const auto live = vc(project, name);
    return live && data::string_at(*live, {"metadata", "annotations", "kubist.io/request"})
                       .starts_with("reconcile@");
  };
  REQUIRE_MESSAGE(eventually([&] { return asked("dev") && asked("bad"); }, 10), hand.output());
  r.running["one"]->signal(SIGCONT);
  CHECK_MESSAGE(hand.wait(60) == by_itself.exit_code, hand.output());
  CHECK(by_itself.exit_code == 1);
  const std::string printed = as_printed(hand.output(), project);
  const auto says = [&](const std::string& line) {
    return printed.find(line) != std::string::npos;
  };
  for (const std::string& line : util::split(as_printed(by_itself.out, before), '\n')) {
    if (line.find("VirtualCluster/") != std::string::npos) {
      // The replica may have seen the change first, and made a run of it before the one asked for.
      CHECK_MESSAGE((says(line) || says(without_writes(line))), line, '\n', printed);
    }
  }
  std::vector<std::string> wrote = objects_of(audit.writes(r.world.user() + "-hand"));
  std::sort(wrote.begin(), wrote.end());
  CHECK(util::join(wrote, ",") == "patch virtualclusters/bad ,patch virtualclusters/dev ");
  CHECK(label(project + "-dev", "tier") == "new");

  // A dry run asks nobody, and where nothing is to be done nobody is asked.
  Audit quiet("home");
  for (const Words& words : {Words{"reconcile", "--dry-run=server"}, Words{"reconcile"}}) {
    Words args = words;
    args.insert(args.end(), {"virtualcluster/dev", "-n", project});
    const CommandResult run = run_kubist(r.world.as_user(args, "-hand"));
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  }
  CHECK(quiet.writes(r.world.user() + "-hand").empty());
}

TEST_CASE("hand over: what is asked of DeployItems, and deletions, are the replica's work") {
  Replicas r("byname");
  r.start("one");
  const std::string project = make_projects(r.world, 1).front();
  const auto mock = [&](const std::string& name, const Json& config) {
    return Json{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                {"kind", "DeployItem"},
                {"metadata", {{"name", name}, {"namespace", project}}},
                {"spec", {{"type", "kubist.io/mock"}, {"config", config}}}};
  };
  put("home", {mock("good", {{"export", {{"n", 1}}}}),
               mock("bad", {{"none", "such"}})});  // is not tried again by itself
  const auto item_status = [&](const std::string& name, const std::string& field) {
    const auto live = get("home", k_items, name, project);
    return std::string(live ? data::string_at(*live, {"status", field}) : "gone");
  };
  REQUIRE_MESSAGE(eventually(
                      [&] {
                        return r.holder(project) == "one" && ready(project) &&
                               item_status("good", "phase") == "Succeeded" &&
                               item_status("bad", "phase") == "Failed";
                      },
                      60),
                  r.output());
  const auto by_hand = [&](Words words, int exit_code, const std::string& wrote) {
    Audit audit("home");
    words.insert(words.end(), {"-n", project});
    const CommandResult run = run_kubist(r.world.as_user(words, "-hand"));
    CHECK_MESSAGE(run.exit_code == exit_code, run.out, run.err, r.output());
    CHECK(util::join(objects_of(audit.writes(r.world.user() + "-hand")), ",") == wrote);
    return run.out;
  };
  const std::string good = item_status("good", "jobIDFinished");
  CHECK(by_hand({"deployitem", "reconcile", "good"}, 0, "") == "deployitem/good unchanged\n");
  CHECK(item_status("good", "jobIDFinished") == good);
  CHECK(by_hand({"deployitem", "reconcile", "good", "--force"}, 0, "patch deployitems/good ") ==
        "deployitem/good succeeded\n");
  CHECK(item_status("good", "jobIDFinished") != good);

  std::string bad = item_status("bad", "jobIDFinished");
  CHECK(by_hand({"deployitem", "reconcile", "bad"}, 1, "patch deployitems/bad ") ==
        "deployitem/bad failed\n");
  CHECK(item_status("bad", "jobIDFinished") != bad);
  bad = item_status("bad", "jobIDFinished");
  by_hand({"reconcile", "deployitem/bad"}, 1, "patch deployitems/bad ");
  CHECK(item_status("bad", "jobIDFinished") != bad);
  by_hand({"reconcile", "deployitem/good"}, 0, "");

  by_hand({"delete", "deployitem/good"}, 0, "delete deployitems/good ");
  CHECK(item_status("good", "phase") == "gone");
  by_hand({"delete", "virtualcluster/dev"}, 0, "delete virtualclusters/dev ");
  CHECK_FALSE(get("home", "namespace", project + "-dev"));
  // The namespace takes the Lease along: whose the last write is then, nobody can tell (see below).
  const CommandResult whole =
      run_kubist(r.world.as_user({"delete", "project/" + project}, "-hand"));
  CHECK_MESSAGE(whole.exit_code == 0, whole.out, whole.err, r.output());
  CHECK_FALSE(get("home", "projects.kubist.io", project));
  CHECK_FALSE(get("home", "namespace", project));
  r.running["one"]->signal(SIGTERM);
  CHECK(r.running["one"]->wait(20) == 0);
}

// The run and the replica both finish what is left, and here the replica cannot.
TEST_CASE("hand over: a Project that only its own deletion is left of is finished by the run") {
  Replicas r("last");
  r.start("one");
  const std::string project = make_projects(r.world, 1).front();
  REQUIRE_MESSAGE(eventually([&] { return ready(project) && r.holder(project) == "one"; }, 60),
                  r.output());
  put("home",
      {{{"apiVersion", "v1"},
        {"kind", "ConfigMap"},
        {"metadata",
         {{"name", "held"}, {"namespace", project}, {"finalizers", {"example.com/hold"}}}}}});
  Audit audit("home");
  Background hand(r.world.as_user({"delete", "project/" + project}, "-hand"));
  REQUIRE_MESSAGE(eventually(
                      [&] {
                        return !get("home", "leases.coordination.k8s.io", "kubist", project) &&
                               get("home", "namespace", project).has_value();
                      },
                      60),
                  hand.output(), r.output());
  r.running["one"]->signal(SIGSTOP);
  must(kubectl("home", {"patch", "configmap", "held", "-n", project, "--type=merge", "-p",
                        R"({"metadata":{"finalizers":null}})"}));
  CHECK_MESSAGE(hand.wait(60) == 0, hand.output(), r.output());
  CHECK_FALSE(get("home", "namespace", project));
  CHECK_FALSE(get("home", "projects.kubist.io", project));
  const auto wrote = objects_of(audit.writes(r.world.user() + "-hand"));
  const std::set<std::string> allowed{cat("delete projects/", project, ' '),
                                      cat("patch projects/", project, " status"),
                                      cat("patch projects/", project, ' ')};
  CHECK(util::join(wrote, ",").ends_with(cat("patch projects/", project, ' ')));
  for (const std::string& write : wrote) {
    CHECK_MESSAGE(allowed.contains(write), write);
  }
}

TEST_CASE("take over: the run writes, the replica does not, and has the project again") {
  Replicas r("taken");
  r.start("one");
  const std::string project = make_projects(r.world, 1).front();
  REQUIRE_MESSAGE(eventually([&] { return ready(project) && r.holder(project) == "one"; }, 60),
                  r.output());
  Audit audit("home");
  must(kubectl("home",
               {"patch", "virtualclusters.kubist.io", "dev", "-n", project, "--type=merge",
                "--subresource=status", "-p", R"({"status":{"lastRun":null,"inventory":null}})"}));
  const CommandResult run = run_kubist(
      r.world.as_user({"reconcile", "virtualcluster/dev", "-n", project, "--take-over"}, "-hand"));
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  const auto by_hand = objects_of(audit.writes(r.world.user() + "-hand"));
  CHECK(!by_hand.empty());
  for (const std::string& write : objects_of(audit.writes(r.world.user() + "-one"))) {
    CHECK_MESSAGE(std::count(by_hand.begin(), by_hand.end(), write) == 0, write);
  }
  CHECK_MESSAGE(eventually([&] { return r.holder(project) == "one"; }, 30), r.output());
}

TEST_CASE("take over: a replica that is at work lets go, and the run sees the work to its end") {
  Replicas r("busy");
  r.start("one");
  const auto projects = make_projects(r.world, 2);
  const std::string &project = projects[0], &other = projects[1];
  REQUIRE_MESSAGE(eventually(
                      [&] {
                        return ready(project) && r.holder(project) == "one" && ready(other) &&
                               r.holder(other) == "one";
                      },
                      60),
                  r.output());
  Audit audit("home");
  const std::string nap = cat(4'000'000 + ::getpid());  // seconds: the words of no other sleep
  const auto sleeper = [&] { return process_with({cat("sleep", '\0', nap, '\0')}); };
  put("home", {execution(project,
                         Json::array({{{"name", "run"},
                                       {"type", "Script"},
                                       {"image", "localhost/busybox:1"},
                                       {"timeout", "15m"},
                                       {"script", cat("sleep ", nap, " || true")}}}),
                         {{"virtualClusterRef", {{"name", "dev"}}}})});
  REQUIRE_MESSAGE(eventually([&] { return sleeper().has_value(); }, 60), r.output());
  REQUIRE(eventually([&] { return phase(project, "job-run") == "Progressing"; }));

  Background hand(
      r.world.as_user({"reconcile", "execution/job", "-n", project, "--take-over"}, "-hand"));
  const auto is_taken = [&] {
    const std::string by = r.holder(project);
    return !by.empty() && by != "one";
  };
  REQUIRE_MESSAGE(eventually(is_taken, 15), hand.output(), r.output());
  CHECK_MESSAGE(eventually([&] {
                  return hand.output().find("waiting for the workload") != std::string::npos;
                }),
                hand.output());
  // It acts on what changes in its other project, and no more on this one's.
  Audit meanwhile("home");
  for (const std::string& each : projects) {
    put("home",
        {virtual_cluster(each, "dev", "home", each + "-dev", {{"labels", {{"tier", "new"}}}})});
  }
  CHECK_MESSAGE(eventually([&] { return label(other + "-dev", "tier") == "new"; }), r.output());
  for (const AuditedWrite& write : meanwhile.writes(r.user("one"))) {
    const bool there =
        write.ns == project || write.ns == project + "-dev" || write.name == project + "-dev";
    CHECK_MESSAGE(!there, write.to_string());
  }
  CHECK(label(project + "-dev", "tier").empty());

  ::kill(*sleeper(), SIGKILL);
  CHECK_MESSAGE(hand.wait(60) == 0, hand.output(), r.output());
  CHECK(phase(project, "job-run") == "Succeeded");
  // It ran once, and the replica has the project again.
  std::size_t pods = 0;
  for (const std::string& user : {r.user("one"), r.world.user() + "-hand"}) {
    for (const AuditedWrite& write : audit.writes(user)) {
      pods += write.verb == "create" && write.resource == "pods" && write.subresource.empty();
    }
  }
  CHECK(pods == 1);
  CHECK_MESSAGE(eventually([&] { return r.holder(project) == "one"; }, 30), r.output());
  CHECK_MESSAGE(eventually([&] { return label(project + "-dev", "tier") == "new"; }), r.output());
}
