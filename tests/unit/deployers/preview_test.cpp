// What a dry run tells of items that have not run.
#include <filesystem>
#include <utility>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/deployers/execution.hpp>
#include <kubist/deployers/runner.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_cluster.hpp"
#include "support/variable.hpp"

using namespace kubist;
using namespace kubist::deployers;
using util::cat;

namespace {

constexpr const char* k_parts = R"([
  {"name": "maps", "type": "kubist.io/manifest", "config": {"manifests": [
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "b"}}]}},
  {"name": "chart", "type": "kubist.io/helm", "config": {"chart": {"url": "https://x.example/c.tgz"}}}])";

/// A program in that folder that helm's place is taken by.
std::string program_in(const util::TempDir& folder, const std::string& script) {
  const auto path = folder.path() / "helm";
  REQUIRE(util::write_file(path, cat("#!/bin/sh\n", script)));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path.string();
}

/// Execution `e` in namespace `default`, whose templates give `parts`. Each chart has the ConfigMap
/// `web`.
struct Preview {
  World world_with(kube::DryRun dry_run) {
    World world;
    world.home = cluster.connect();
    world.place_of = [home = world.home](const std::string& ns, const std::string&) {
      return Place{home, ns, ""};
    };
    kube::Writer::Rules rules;
    rules.dry_run = dry_run;
    rules.told = [this, dry_run](const kube::Write& write) {
      told.push_back(write.object);
      CHECK((dry_run == kube::DryRun::none || write.call.body != nullptr));
    };
    world.writer = kube::Writer(rules);
    return world;
  }
  ExecutionOutcome run(const std::string& items, kube::DryRun dry_run, const char* parts) {
    const Json execution = cluster.put(
        {{"apiVersion", "kubist.io/v1alpha1"},
         {"kind", "Execution"},
         {"metadata", {{"name", "e"}, {"namespace", "default"}}},
         {"spec", {{"items", data::read_document("---\n" + items, "test").value().value}}}});
    World world = world_with(dry_run);
    world.jsonnet = [&](const auto&, const auto&, const auto&, const auto&) {
      return std::string(parts);
    };
    cluster.forget_log();
    auto outcome = run_execution(world, {execution, execution["spec"]});
    REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().to_string()));
    CHECK(cluster.writes().empty());
    return *std::move(outcome);
  }
  /// What helm was asked for since the last time.
  std::string take_calls() {
    const auto calls = util::read_file(folder.path() / "calls");
    std::filesystem::remove(folder.path() / "calls");
    return calls.value_or("");
  }

  testing::FakeCluster cluster;
  std::vector<std::string> told;
  const util::TempDir folder;
  const testing::Variable helm{
      "KUBIST_HELM",
      program_in(folder, cat("echo $1 >> ", folder.path().string(),
                             "/calls\n"
                             "echo 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}'\n"))};
};

const char* const k_item = "landscaper.gardener.cloud/v1alpha1 DeployItem/default/e-";

}  // namespace

TEST_CASE("preview: what a template would make is rendered, with the objects of its items") {
  Preview p;
  const auto outcome =
      p.run("[{name: t, type: Templates, template: x}]", kube::DryRun::server, k_parts);
  CHECK(outcome.reason == "DryRun");
  CHECK_MESSAGE(outcome.message.empty(), outcome.message);
  CHECK(p.told == std::vector<std::string>{std::string(k_item) + "t-maps",
                                           std::string(k_item) + "t-chart",
                                           "v1 ConfigMap/default/x", "v1 ConfigMap/default/web"});
  CHECK(p.take_calls() == "template\n");
}

TEST_CASE("preview: a chart that cannot be rendered is known to be wrong, and why") {
  Preview p;
  const util::TempDir folder;
  const auto run_with = [&](const std::string& helm) {
    const testing::Variable given("KUBIST_HELM", helm);
    p.told.clear();
    const auto outcome =
        p.run("[{name: t, type: Templates, template: x}]", kube::DryRun::server, k_parts);
    CHECK(outcome.state == ExecutionOutcome::State::failed);
    CHECK_MESSAGE(
        outcome.message.starts_with("item t/chart: the objects of its chart cannot be known now: "),
        outcome.message);
    CHECK(p.told.back() == "v1 ConfigMap/default/x");  // the others are looked at all the same
    return std::pair(outcome.reason, outcome.message);
  };
  CHECK(run_with("/nowhere/helm").first == "HelmNotFound");
  const auto [reason, message] =
      run_with(program_in(folder, "echo 'lookup x.example: no such host' >&2\nexit 1\n"));
  CHECK(reason == "RenderFailed");
  CHECK_MESSAGE(message.find("helm template of chart https://x.example/c.tgz") != std::string::npos,
                message);
  CHECK_MESSAGE(message.find("no such host") != std::string::npos, message);
}

TEST_CASE("preview: a chart is rendered where its item would run, also for what drifted") {
  Preview p;
  p.cluster.put({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                 {"kind", "DeployItem"},
                 {"metadata", {{"name", "web"}, {"namespace", "default"}}},
                 {"spec",
                  {{"type", "kubist.io/helm"},
                   {"config", {{"chart", {{"url", "https://x.example/c.tgz"}}}}}}}});
  const auto look = [&] {
    p.told.clear();
    p.take_calls();
    World dry = p.world_with(kube::DryRun::server);
    const Json item = p.cluster.get("deployitems.landscaper.gardener.cloud", "web", "default");
    const auto outcome = preview_item(dry, item, false);
    REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().to_string()));
    CHECK_MESSAGE(outcome->state == Progress::State::done, outcome->message);
    return p.told;
  };
  const std::vector<std::string> all{"v1 ConfigMap/default/web"};
  CHECK(look() == all);
  CHECK(p.cluster.get("configmaps", "web", "default").is_null());
  World world = p.world_with(kube::DryRun::none);
  const auto run = run_item(world, "default", "web");
  REQUIRE_MESSAGE(run, (run ? "" : run.error().to_string()));
  CHECK_MESSAGE(run->phase == "Succeeded", run->message);
  CHECK(look().empty());
  CHECK(p.take_calls().empty());
  p.cluster.remove("configmaps", "web", "default");
  CHECK(look() == all);
  CHECK(p.take_calls() == "template\n");
}

TEST_CASE("preview: an item of a template that would fail fails the dry run") {
  Preview p;
  const std::string parts =
      cat(R"([{"name": "crd", "type": "kubist.io/manifest", "config": {"manifests": [)",
          R"({"apiVersion": "x.example/v1", "kind": "Missing", "metadata": {"name": "x"}}]}}, )",
          std::string_view(k_parts).substr(1));
  const auto outcome =
      p.run("[{name: t, type: Templates, template: x}]", kube::DryRun::server, parts.c_str());
  CHECK(outcome.state == ExecutionOutcome::State::failed);
  CHECK_MESSAGE(outcome.reason != "DryRun", outcome.reason);
  CHECK_MESSAGE(outcome.message.starts_with("item t/crd: "), outcome.message);
  CHECK(p.told.size() == 5);  // the others are looked at all the same
}

TEST_CASE("preview: what an item of a template lacks the items before it may make") {
  Preview p;
  const std::string parts = cat(
      R"([{"name": "late", "type": "kubist.io/manifest", "dependsOn": ["maps"], "config": {)",
      R"("manifests": [{"apiVersion": "x.example/v1", "kind": "Missing", "metadata": {"name": "x"}}]}}, )",
      std::string_view(k_parts).substr(1));
  const auto outcome =
      p.run("[{name: t, type: Templates, template: x}]", kube::DryRun::server, parts.c_str());
  CHECK(outcome.reason == "DryRun");
  CHECK_MESSAGE(outcome.message.find("item t/late: ") != std::string::npos, outcome.message);
}

TEST_CASE("preview: of what an item's pod would do nothing is said, whatever it imports") {
  Preview p;
  const auto outcome =
      p.run("[{name: t, type: Templates, template: x, imports: [{name: a, value: b}]}]",
            kube::DryRun::server,
            R"([{"name": "s", "type": "kubist.io/script", "config": {"script": "true"}}])");
  CHECK_MESSAGE(outcome.message.empty(), outcome.message);
  CHECK(p.told == std::vector<std::string>{std::string(k_item) + "t-s"});
}

TEST_CASE("preview: a client's dry run knows the items of a template, not what they write") {
  Preview p;
  CHECK(p.run("[{name: t, type: Templates, template: x}]", kube::DryRun::client, k_parts).message ==
        "item t/chart: the objects of its chart are known when it runs");
  CHECK(p.told ==
        std::vector<std::string>{std::string(k_item) + "t-maps", std::string(k_item) + "t-chart"});
  CHECK(p.take_calls().empty());
}

TEST_CASE("preview: a template behind another item says that nothing is known of it") {
  Preview p;
  CHECK(p.run("[{name: s, type: Script, image: x, script: 'true'}, "
              "{name: t, type: Templates, template: x, dependsOn: [s]}]",
              kube::DryRun::server, k_parts)
            .message ==
        "what the template of item t makes is known when the items before it have run");
  CHECK(p.told == std::vector<std::string>{std::string(k_item) + "s"});
}

TEST_CASE("preview: a template that fails fails the dry run") {
  Preview p;
  CHECK(p.run("[{name: t, type: Templates, template: x}]", kube::DryRun::server, "7").reason ==
        "TemplateFailed");
}
