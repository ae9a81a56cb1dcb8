// What a dry run tells of items that have not run.
#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/deployers/execution.hpp>
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

/// Execution `e` in namespace `default`, whose templates give `parts`.
struct Preview {
  ExecutionOutcome run(const std::string& items, kube::DryRun dry_run, const char* parts) {
    const Json execution = cluster.put(
        {{"apiVersion", "kubist.io/v1alpha1"},
         {"kind", "Execution"},
         {"metadata", {{"name", "e"}, {"namespace", "default"}}},
         {"spec", {{"items", data::read_document("---\n" + items, "test").value().value}}}});
    World world;
    world.home = cluster.connect();
    world.place_of = [&](const std::string& ns, const std::string&) {
      return Place{world.home, ns, ""};
    };
    world.jsonnet = [&](const auto&, const auto&, const auto&, const auto&) {
      return std::string(parts);
    };
    kube::Writer::Rules rules;
    rules.dry_run = dry_run;
    rules.told = [&](const kube::Write& write) {
      told.push_back(write.object);
      CHECK(write.call.body != nullptr);
    };
    world.writer = kube::Writer(rules);
    cluster.forget_log();
    auto outcome = run_execution(world, {execution, execution["spec"]});
    REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().to_string()));
    CHECK(cluster.writes().empty());
    return *std::move(outcome);
  }
  testing::FakeCluster cluster;
  std::vector<std::string> told;
  const testing::Variable helm{"KUBIST_HELM", "/bin/true"};
};

const char* const k_item = "landscaper.gardener.cloud/v1alpha1 DeployItem/default/e-";

}  // namespace

TEST_CASE("preview: what a template would make is rendered, with the objects of its manifests") {
  Preview p;
  const auto outcome =
      p.run("[{name: t, type: Templates, template: x}]", kube::DryRun::server, k_parts);
  CHECK(outcome.reason == "DryRun");
  CHECK(outcome.message == "item t/chart: the objects of its chart are known when it runs");
  CHECK(p.told == std::vector<std::string>{std::string(k_item) + "t-maps",
                                           std::string(k_item) + "t-chart",
                                           "v1 ConfigMap/default/x"});
}

TEST_CASE("preview: a chart that no helm can render is known to be wrong") {
  Preview p;
  const testing::Variable none("KUBIST_HELM", "/nowhere/helm");
  const auto outcome =
      p.run("[{name: t, type: Templates, template: x}]", kube::DryRun::server, k_parts);
  CHECK(outcome.state != ExecutionOutcome::State::ready);
  CHECK(outcome.reason == "HelmNotFound");
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
  CHECK(p.told.size() == 4);  // the others are looked at all the same
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
