// DeployItems that are deleted by themselves.
#include <csignal>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>

#include "support.hpp"

namespace {

using namespace it;

constexpr const char* k_type = "deployitems.landscaper.gardener.cloud";

// An Execution of one item, which some run has begun: so it is held by kubist's finalizer.
void make_begun_item(const std::string& project) {
  put("home", {object("Execution", project, "job",
                      {{"items",
                        Json::array({{{"name", "a"}, {"type", "Script"}, {"script", "true"}}})}})});
  Background run({"reconcile", "Execution/job", "-n", project, "--timeout=60s"});
  REQUIRE(eventually([&] {
    const auto item = get("home", k_type, "job-a", project);
    return item && (*item)["metadata"].contains("finalizers");
  }));
  run.signal(SIGKILL);
  REQUIRE(run.wait(10) == 128 + SIGKILL);
}

}  // namespace

TEST_CASE("kubist delete: a DeployItem goes without anybody else's reconcile") {
  World world("item");
  const std::string project = world.name();
  world.make_project(project);
  make_begun_item(project);
  const Words words{"delete",        "deployitem",         "job-a", "-n", project,
                    "--timeout=60s", "--without-uninstall"};
  SUBCASE("with its Execution there") {
    Words dry = words;
    dry.push_back("--dry-run=server");
    const CommandResult planned = run_kubist(dry);
    CHECK_MESSAGE(planned.exit_code == 0, planned.out, planned.err);
    CHECK(get("home", k_type, "job-a", project));
    const CommandResult run = run_kubist(words);
    CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
    CHECK(run.out == "deployitem.landscaper.gardener.cloud \"job-a\" deleted from " + project +
                         " namespace\n");
    CHECK_MESSAGE(
        run.err.find("belongs to Execution job, which makes it again") != std::string::npos,
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

TEST_CASE("kubist delete: an item whose workload never started goes at once, and starts no pod") {
  World world("unstarted");
  const std::string project = world.name();
  world.make_project(project);
  // No node runs its pod.
  const Json item{{"name", "a"}, {"type", "Container"}, {"image", "localhost/busybox:1"}};
  put("home", {object("Execution", project, "job", {{"items", Json::array({item})}})});
  Background begun({"reconcile", "Execution/job", "-n", project, "--timeout=60s"});
  REQUIRE(eventually([&] {
    const auto live = get("home", k_type, "job-a", project);
    return live && kubist::data::find_path(*live, {"status", "providerStatus", "pod"}) != nullptr;
  }));
  begun.signal(SIGKILL);
  REQUIRE(begun.wait(10) == 128 + SIGKILL);
  const auto dry = [&] {
    return must(run_kubist({"delete", "project", project, "--dry-run=client"}));
  };
  CHECK_MESSAGE(dry().find("Execution/" + project +
                           "/job: DeployItem job-a runs nothing: its "
                           "workload has never started\n") != std::string::npos,
                dry());
  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"delete", "execution", "job", "-n", project, "--timeout=20s"}));
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(!get("home", k_type, "job-a", project));
  const auto writes = audit.writes(world.user());
  CHECK(!writes.empty());
  for (const AuditedWrite& write : writes) {
    CHECK_MESSAGE((write.resource != "pods" || write.verb == "delete"), write.to_string());
  }
}

TEST_CASE("kubist delete: a dry run says what deletion runs; one that fails names the way out") {
  World world("tells");
  const std::string project = world.name();
  world.make_project(project);
  const auto item = [&](const std::string& name, const std::string& type, const Json& config) {
    put("home", {Json{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                      {"kind", "DeployItem"},
                      {"metadata",
                       {{"name", name},
                        {"namespace", project},
                        {"finalizers", Json::array({"kubist.io/deployer"})}}},
                      {"spec", {{"type", type}, {"timeout", "3s"}, {"config", config}}}}});
    patch("home", k_type, name, project, kubist::kube::PatchType::merge,
          {{"status",
            {{"phase", "Succeeded"},
             {"jobID", "1"},
             {"jobIDFinished", "1"},
             {"providerStatus", {{"pod", "p"}, {"workloadStarted", true}}}}}},
          "status");
  };
  const std::string image = "localhost/busybox:1";
  const Json nowhere{{"kubist.io/test", "nowhere"}};
  item("plain", "kubist.io/script", {{"script", "true"}});
  item("undone", "kubist.io/script",
       {{"script", "true"}, {"deleteScript", "true"}, {"nodeSelector", nowhere}});
  item("runs", "kubist.io/container", {{"image", image}, {"nodeSelector", nowhere}});
  item("skips", "kubist.io/container", {{"image", image}, {"onDelete", "Skip"}});
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const Words all{"delete", "deployitem", "plain", "undone", "runs", "skips", "-n", project};
  Words dry = all;
  dry.push_back("--dry-run=client");
  const std::string told = must(run_kubist(dry));
  for (const std::string line : {"DeployItem plain runs nothing: it has no deleteScript\n",
                                 "DeployItem undone runs its deleteScript\n",
                                 "DeployItem runs runs its image with OPERATION=DELETE\n",
                                 "DeployItem skips runs nothing: its onDelete is Skip\n"}) {
    CHECK_MESSAGE(has(told, line), line, told);
  }
  dry.insert(dry.end(), {"-o", "name"});
  CHECK_FALSE(has(must(run_kubist(dry)),
                  "runs"
                  " nothing"));

  // No node takes these pods: what needs none goes, the others say what to do.
  Words words = all;
  words.push_back("--timeout=60s");
  const CommandResult run = run_kubist(words);
  CHECK_MESSAGE(run.exit_code == 1, run.out, run.err);
  CHECK_MESSAGE(has(run.err, "--without-uninstall deletes it and undoes nothing"), run.err);
  CHECK(!get("home", k_type, "plain", project));
  CHECK(!get("home", k_type, "skips", project));
  CHECK(get("home", k_type, "undone", project));
  CHECK(get("home", k_type, "runs", project));
  must(run_kubist({"delete", "deployitem", "undone", "runs", "-n", project, "--timeout=60s",
                   "--without-uninstall"}));
  CHECK(!get("home", k_type, "undone", project));
}

TEST_CASE("garbage: only what vanished items left goes, and only from kubist's own namespaces") {
  World world("garbage");
  const std::string project = world.name();
  world.make_project(project);
  const std::string own = world.name("own");
  const std::string foreign = world.name("foreign");
  put("home", {Json{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", foreign}}}},
               object("Cluster", project, "home", {{"home", true}}),
               virtual_cluster(project, "own", "home", own),
               virtual_cluster(project, "foreign", "home", foreign),
               Json{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                    {"kind", "DeployItem"},
                    {"metadata", {{"name", "here"}, {"namespace", project}}},
                    {"spec", {{"type", "kubist.io/mock"}}}}});
  run_kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  const std::string uid(
      kubist::data::string_at(*get("home", k_type, "here", project), {"metadata", "uid"}));
  const auto left = [&](const std::string& ns, const std::string& name, const std::string& item,
                        const std::string& item_uid) {
    return Json{{"apiVersion", "v1"},
                {"kind", "Secret"},
                {"metadata",
                 {{"name", name},
                  {"namespace", ns},
                  {"labels", {{"kubist.io/deployitem-uid", item_uid}}},
                  {"annotations", {{"kubist.io/deployitem", project + "/" + item}}}}}};
  };
  const auto claim_of = [](Json secret) {
    secret["kind"] = "PersistentVolumeClaim";
    secret["spec"] = {{"accessModes", {"ReadWriteOnce"}},
                      {"resources", {{"requests", {{"storage", "1Mi"}}}}}};
    return secret;
  };
  put("home",
      {left(own, "of-here", "here", uid), left(own, "of-gone", "gone", "1"),
       left(own, "of-older", "here", "2"), left(foreign, "of-gone", "gone", "1"),
       claim_of(left(own, "of-here", "here", uid)), claim_of(left(own, "of-gone", "gone", "1"))});
  const Words words{"garbage", "-n", project};
  Words dry = words;
  dry.push_back("--dry-run=client");
  const std::string expected =
      "secret " + own + "/of-gone of DeployItem " + project + "/gone deleted";
  CHECK(run_kubist(dry).out.find(expected + " (dry run)") != std::string::npos);
  CHECK(get("home", "secret", "of-gone", own));
  const CommandResult run = run_kubist(words);
  CHECK_MESSAGE(run.out.find(expected + "\n") != std::string::npos, run.out, run.err);
  CHECK_MESSAGE(run.err.find("is not kubist's own here") != std::string::npos, run.err);
  CHECK(get("home", "secret", "of-here", own));
  CHECK(!get("home", "secret", "of-gone", own));
  CHECK(!get("home", "secret", "of-older", own));
  CHECK(get("home", "pvc", "of-here", own));
  const Json claim = get("home", "pvc", "of-gone", own).value_or(Json::object());
  CHECK((claim.empty() || claim["metadata"].contains("deletionTimestamp")));
  CHECK(get("home", "secret", "of-gone", foreign));
}
