// Jobs of the policy Steps: real pods, and releases that wait for them.
#include <algorithm>

#include "backend.hpp"
#include "looks.hpp"

using namespace traffic_test;

namespace {

class Setting {
 public:
  explicit Setting(const std::string& test) : stage(test) {
    stage.reconcile();
    for (const char* version : {"v1", "v2"}) {
      stage.ready_pod(cat("web-", version), {{"app", "web"}, {"version", version}});
    }
    stage.apply("Destination", "web", k_destination);
    must(kubectl("home", {"patch", "projects.kubist.io", stage.project(), "--type=merge", "-p",
                          R"({"spec":{"allow":{"jobs":["localhost/busybox:*"]}}})"}));
  }
  /// A release with this job after 50 %.
  void add(const std::string& name, const std::string& script, const std::string& more = "",
           const std::string& image = "localhost/busybox:1", const std::string& hold_limit = "1m") {
    stage.apply("TrafficRoute", name,
                cat("{hosts: [", name,
                    ".example.com], routes: [{weights: [{destination: web, version: v1}]}]}"));
    const Json command{"sh", "-c", script};
    stage.apply("CanaryRelease", name,
                cat("{destination: web, stable: v1, canary: v2, routes: [", name,
                    "], interval: 1s, holdLimit: ", hold_limit,
                    ", bake: 1s, policies: [{name: Steps, parameters: {steps: [{setWeight: 50}, "
                    "{job: {name: check, image: '",
                    image, "', command: ", command.dump(), more, "}}]}}]}"));
  }
  Json status(const std::string& name) {
    const auto release = stage.node("canaryreleases", name);
    REQUIRE(release);
    return release->value("status", Json::object());
  }
  std::string state(const std::string& name) {
    return std::string(data::string_at(status(name), {"state"}));
  }
  /// How many pods were made in the project's namespace.
  int pods_since(Audit& audit) {
    const auto writes = audit.writes(stage.world().user());
    return static_cast<int>(std::count_if(writes.begin(), writes.end(), [](const auto& write) {
      return write.resource == "pods" && write.verb == "create";
    }));
  }
  Stage stage;
};

}  // namespace

TEST_CASE("jobs: exit code 0 goes on, others take the release back, and what may not run holds") {
  Setting setting("job-ends");
  // The second try of `second` is another one by its input.
  setting.add("good", "grep -q '\"canary\":\"v2\"' $IMPORTS_PATH");
  setting.add("second", "grep -q '\"try\":2' $IMPORTS_PATH", ", retries: 1");
  setting.add("bad", "echo not good; exit 3");
  setting.add("slow", "sleep 600", ", timeout: 3s");
  setting.add("foreign", "true", ", timeout: 1s", "registry.example.com/check:1", "10s");
  const CommandResult run = setting.stage.reconcile("140s");
  CHECK_MESSAGE(run.exit_code == 4, run.out, run.err);
  CHECK_MESSAGE(setting.state("good") == "Succeeded", setting.status("good").dump());
  CHECK_MESSAGE(setting.state("second") == "Succeeded", setting.status("second").dump());
  for (const auto& [name, reason, says] :
       {std::tuple{"bad", "JobFailed", "kubist deployitem logs job-check-bad"},
        std::tuple{"slow", "JobFailed", "job check"},
        std::tuple{"foreign", "ImageNotAllowed", "spec.allow.jobs"}}) {
    const Json status = setting.status(name);
    CHECK_MESSAGE(data::string_at(status, {"state"}) == "RolledBack", status.dump());
    CHECK_MESSAGE(data::string_at(status, {"reason"}) == reason, status.dump());
    CHECK_MESSAGE(status.dump().find(says) != std::string::npos, status.dump());
  }
  const auto items =
      must(kubectl("home", {"get", "deployitems", "-n", setting.stage.project(), "-o", "name"}));
  CHECK_MESSAGE(items.find("job-check-good") != std::string::npos, items);
  CHECK_MESSAGE(items.find("job-check-foreign") == std::string::npos, items);
}

TEST_CASE("jobs: a release holds while its job runs, and a killed kubist does not run it again") {
  Setting setting("job-runs");
  Stage& stage = setting.stage;
  must(stage.reconcile());
  setting.add("long", "sleep 4");
  Audit audit("home");
  const CommandResult dry = run_kubist(stage.world().as_user(
      {"reconcile", "CanaryRelease/long", "-n", stage.project(), "--dry-run"}));
  CHECK_MESSAGE(dry.exit_code == 3, dry.out, dry.err);
  REQUIRE(look_until(stage, "Project/" + stage.project(), [&] {
    return setting.status("long").dump().find("JobRunning") != std::string::npos;
  }));
  CHECK(setting.state("long") == "Waiting");
  const CommandResult run = stage.reconcile("100s");
  CHECK_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK_MESSAGE(setting.state("long") == "Succeeded", setting.status("long").dump());
  CHECK(setting.pods_since(audit) == 1);

  // With the policy goes what it had made.
  must(kubectl("home", {"patch", "canaryreleases.kubist.io", "long", "-n", stage.project(),
                        "--type=merge", "-p", R"({"spec":{"policies":[{"name":"Timed"}]}})"}));
  must(stage.reconcile());
  CHECK(must(kubectl("home", {"get", "deployitems", "-n", stage.project(), "-o", "name"})) == "");
}

TEST_CASE("jobs: who aborts the release ends its job") {
  Setting setting("job-abort");
  Stage& stage = setting.stage;
  setting.add("long", "trap 'exit 1' TERM; echo begun; sleep 600 & wait");
  const auto items = [&] {
    return Json::parse(must(
        kubectl("home", {"get", "deployitems", "-n", stage.project(), "-o", "json"})))["items"];
  };
  const auto printed = [&] {
    const Json all = items();
    const std::string name =
        all.empty() ? "none" : std::string(data::string_at(all[0], {"metadata", "name"}));
    return run_kubist(stage.world().as_user({"deployitem", "logs", name, "-n", stage.project()}))
        .out;
  };
  REQUIRE(eventually(
      [&] {
        stage.reconcile("2s");
        return printed() == "begun\n";
      },
      60));
  const CommandResult aborted = run_kubist(stage.world().as_user(
      {"canary", "abort", "long", "-n", stage.project(), "--wait", "--timeout=100s"}));
  CHECK_MESSAGE(aborted.exit_code == 4, aborted.out, aborted.err);
  CHECK(setting.state("long") == "Aborted");
  CHECK(data::string_at(items()[0], {"status", "lastError", "reason"}) == "Interrupted");
  CHECK(eventually([&] { return list("home", "pods", stage.project()).empty(); }, 60));
  CHECK(printed() == "begun\n");
}
