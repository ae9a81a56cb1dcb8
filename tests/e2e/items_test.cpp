// DeployItems and Executions in real pods, by the commands that people use.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

constexpr const char* k_items = "deployitems.landscaper.gardener.cloud";
constexpr const char* k_image = "localhost/busybox:1";

Json script(const std::string& name, const std::string& text, Json more = Json::object()) {
  Json item{{"name", name}, {"type", "Script"}, {"image", k_image}, {"script", text}};
  item.update(more);
  return item;
}

Json deploy_item(const std::string& ns, const std::string& name, Json spec) {
  return {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
          {"kind", "DeployItem"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec", std::move(spec)}};
}

CommandResult item(const World& world, const std::string& verb, Words words) {
  words.insert(words.begin(), {"deployitem", verb});
  words.insert(words.end(), {"-n", world.name()});
  return run_kubist(words);
}

std::string at(const Json& object, std::initializer_list<std::string_view> path) {
  return std::string(data::string_at(object, path));
}

bool has_no_pods(const std::string& ns) {
  return must(kubectl("home", {"get", "pods", "-n", ns, "-o", "name"})).empty();
}

}  // namespace

TEST_CASE("items: fifty in a diamond run in order, as wide as they can, and once") {
  World world("diamond");
  const std::string project = world.name();
  world.make_project(project);
  Json items = Json::array({script("top", "echo 'n: 1' > $EXPORT_PATH")});
  Json middle = Json::array();
  for (int i = 0; i < 48; ++i) {
    middle.push_back(cat("m", i));
    items.push_back(script(middle.back(), "exit 0", {{"dependsOn", Json::array({"top"})}}));
  }
  items.push_back(script("bottom", "exit 0", {{"dependsOn", middle}}));
  put("home", {object("Execution", project, "job", {{"items", items}})});
  Audit audit("home");
  const CommandResult run =
      run_kubist(world.as_user({"reconcile", "Project/" + project, "--timeout=400s"}));
  REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err);
  Words pods;
  for (const AuditedWrite& write : audit.writes(world.user())) {
    if (write.resource == "pods" && write.verb == "create" && write.subresource.empty()) {
      pods.push_back(write.name);
    }
  }
  const auto pod_of = [&](const std::string& name) {
    return at(*get("home", k_items, "job-" + name, project), {"status", "providerStatus", "pod"});
  };
  REQUIRE(pods.size() == 50);
  CHECK(pods.front() == pod_of("top"));
  CHECK(pods.back() == pod_of("bottom"));
  CHECK(at(*get("home", "executions.kubist.io", "job", project), {"status", "progress"}) ==
        "50/50");
  Audit again("home");
  CHECK(run_kubist(world.as_user({"reconcile", "Project/" + project})).exit_code == 0);
  CHECK(again.writes(world.user()).empty());
}

TEST_CASE("items: landscaper's counter grows by one with each run that is forced") {
  World world("counter");
  const std::string project = world.name();
  world.make_project(project);
  put("home",
      {deploy_item(
          project, "counter",
          {{"type", "landscaper.gardener.cloud/container"},
           {"timeout", "2m"},
           {"config",
            {{"apiVersion", "container.deployer.landscaper.gardener.cloud/v1alpha1"},
             {"kind", "ProviderConfiguration"},
             {"image", k_image},
             {"command", Json::array({"sh", "-c"})},
             {"args", Json::array({"n=$(cat $STATE_PATH/n 2>/dev/null || echo 0); n=$((n+1)); "
                                   "echo $n >$STATE_PATH/n; echo \"{\\\"n\\\": $n}\" "
                                   ">$EXPORTS_PATH"})},
             {"importValues", {{"any", "json"}}}}}})});
  const CommandResult run = run_kubist({"reconcile", "Project/" + project, "--timeout=120s"});
  REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err);
  CHECK(item(world, "exports", {"counter", "--show"}).out ==
        "\"n\": 1\n");  // n is no string in YAML 1.1
  CHECK(item(world, "reconcile", {"counter", "--timeout=60s"}).out ==
        "deployitem/counter unchanged\n");
  for (int n = 2; n <= 3; ++n) {
    const CommandResult forced = item(world, "reconcile", {"counter", "--force", "--timeout=60s"});
    CHECK_MESSAGE(forced.out == "deployitem/counter succeeded\n", forced.out, forced.err);
    CHECK(item(world, "exports", {"counter", "--show"}).out == cat("\"n\": ", n, "\n"));
  }
  CHECK(data::int_at(*get("home", k_items, "counter", project), {"status", "exportGeneration"}) ==
        3);
}

TEST_CASE("items: an interrupt ends the run under way, saves its state, and is told as such") {
  World world("interrupt");
  const std::string project = world.name();
  world.make_project(project);
  put("home", {deploy_item(project, "long",
                           {{"type", "kubist.io/script"},
                            {"config",
                             {{"image", k_image},
                              {"script",
                               "trap 'echo end >> $STATE/end; exit 1' TERM\n"
                               "echo first; echo started; sleep 600 & wait\n"}}}})});
  const auto started = [&] {
    return item(world, "logs", {"long"}).out.find("started") != std::string::npos &&
           at(*get("home", k_items, "long", project), {"status", "phase"}) == "Progressing";
  };
  const auto check_end = [&](Background& driver) {
    CHECK(driver.wait(60) == 1);
    const Json ended = *get("home", k_items, "long", project);
    CHECK(at(ended, {"status", "phase"}) == "Failed");
    CHECK(at(ended, {"status", "lastError", "reason"}) == "Interrupted");
    CHECK(at(ended, {"status", "jobID"}) == at(ended, {"status", "jobIDFinished"}));
    CHECK(eventually([&] { return has_no_pods(project); }));
  };
  {
    Background driver({"reconcile", "Project/" + project});
    REQUIRE(eventually(started, 60));
    CHECK(item(world, "logs", {"long", "--tail=1"}).out == "started\n");
    const CommandResult all = item(world, "logs", {"long", "--all-containers"});
    CHECK_MESSAGE(all.out.find("[workload] started\n") != std::string::npos, all.out, all.err);
    const CommandResult stopped = item(world, "interrupt", {"long", "--timeout=60s"});
    CHECK_MESSAGE(stopped.out == "deployitem/long interrupted\n", stopped.out, stopped.err);
    check_end(driver);
    CHECK(item(world, "logs", {"long", "--tail=2"}).out == "first\nstarted\n");
    CHECK(item(world, "state", {"ls", "long"}).out.find("end") != std::string::npos);
  }
  {
    Background driver({"reconcile", "Project/" + project});
    REQUIRE(eventually(started, 60));
    must(kubectl("home",
                 {"annotate", k_items, "long", "-n", project, "kubist.io/request=interrupt@1"}));
    check_end(driver);
  }
}
