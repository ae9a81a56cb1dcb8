// A DeployItem with an Execution's label that cannot be read: it counts if the Execution owns it.
#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/deployers/execution.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_cluster.hpp"

using namespace kubist;
using namespace kubist::deployers;

namespace {

/// Execution `e` in namespace `default`, whose template gives one item, beside item `deep`.
struct DeepBeside {
  DeepBeside() {
    world.home = cluster.connect();
    world.place_of = [this](const std::string& ns, const std::string&) {
      return Place{world.home, ns, ""};
    };
    world.jsonnet = [](const auto&, const auto&, const auto&, const auto&) {
      return std::string(
          R"([{"name": "a", "type": "kubist.io/mock", "config": {"phase": "Succeeded"}}])");
    };
    write(kube::DryRun::none);
  }
  void write(kube::DryRun dry_run) {
    kube::Writer::Rules rules;
    rules.dry_run = dry_run;
    rules.told = [](const kube::Write&) {};
    world.writer = kube::Writer(rules);
  }
  Json put_execution(const std::string& name) {
    return cluster.put(
        {{"apiVersion", "kubist.io/v1alpha1"},
         {"kind", "Execution"},
         {"metadata", {{"name", name}, {"namespace", "default"}}},
         {"spec",
          {{"items", Json::array({{{"name", "t"}, {"type", "Templates"}, {"template", "x"}}})}}}});
  }
  /// `owners`: Executions.
  void plant_deep(const std::vector<Json>& owners) {
    Json levels = 1;
    for (int i = 0; i < 600; ++i) {
      levels = Json{{"x", std::move(levels)}};
    }
    plant("deep", std::move(levels), owners);
  }
  void plant(const std::string& name, Json config, const std::vector<Json>& owners) {
    Json item{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
              {"kind", "DeployItem"},
              {"metadata",
               {{"name", name},
                {"namespace", "default"},
                {"labels", {{std::string(k_execution_label), "e"}}}}},
              {"spec", {{"type", "kubist.io/mock"}, {"config", std::move(config)}}}};
    for (const Json& owner : owners) {
      item["metadata"]["ownerReferences"].push_back({{"apiVersion", owner["apiVersion"]},
                                                     {"kind", owner["kind"]},
                                                     {"name", owner["metadata"]["name"]},
                                                     {"uid", owner["metadata"]["uid"]}});
    }
    cluster.plant(std::move(item));
    cluster.forget_log();
  }
  util::Result<ExecutionOutcome> run() {
    return run_execution(world, {execution, execution["spec"]});
  }
  util::Result<ExecutionOutcome> remove() {
    return remove_execution(world, {execution, execution["spec"]});
  }
  bool has_item() {
    return !cluster.get("deployitems.landscaper.gardener.cloud", "e-t-a", "default").is_null();
  }

  testing::FakeCluster cluster;
  Json execution = put_execution("e");
  World world;
};

void check_good(const util::Result<ExecutionOutcome>& outcome) {
  REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().to_string()));
  CHECK_MESSAGE(outcome->state == ExecutionOutcome::State::ready, outcome->message);
}

void check_names_deep(const util::Result<ExecutionOutcome>& outcome) {
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().message ==
        "DeployItem default/deep cannot be read: nested deeper than 500 levels");
  CHECK(outcome.error().reason == "Unreadable");
}

}  // namespace

TEST_CASE("unreadable item: one that others own fails no Execution whose label it has") {
  for (const bool owned : {false, true}) {
    CAPTURE(owned);
    DeepBeside f;
    f.plant_deep(owned ? std::vector<Json>{f.put_execution("other")} : std::vector<Json>{});
    f.write(kube::DryRun::server);
    check_good(f.run());
    CHECK_FALSE(f.has_item());
    f.write(kube::DryRun::none);
    check_good(f.run());
    CHECK(f.has_item());
    f.write(kube::DryRun::server);
    check_good(f.remove());
    CHECK(f.has_item());
    f.write(kube::DryRun::none);
    check_good(f.remove());
    CHECK_FALSE(f.has_item());
    const auto writes = f.cluster.writes();
    CHECK(std::none_of(writes.begin(), writes.end(),
                       [](const testing::LoggedRequest& each) { return each.name == "deep"; }));
  }
}

TEST_CASE("unreadable item: one that the Execution owns, too, fails it before it writes anything") {
  DeepBeside f;
  f.plant_deep({f.put_execution("other"), f.execution});
  for (const kube::DryRun dry_run : {kube::DryRun::server, kube::DryRun::none}) {
    f.write(dry_run);
    check_names_deep(f.run());
    check_names_deep(f.remove());
  }
  CHECK(f.cluster.writes().empty());
}

TEST_CASE("unreadable item: those of an Execution may not fill the memory, but can be removed") {
  DeepBeside f;
  for (int i = 0; i < 18; ++i) {
    f.plant(kubist::util::cat("long-", i), {{"text", std::string(std::size_t{60} << 17U, 'x')}},
            {f.execution});
  }
  const auto outcome = f.run();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().message == "the items of Execution e take more than 128 MiB of memory");
  CHECK(outcome.error().reason == "TooLarge");
  CHECK(f.cluster.writes().empty());
  CHECK_MESSAGE(f.remove(), "its items are small without what they configure");
}
