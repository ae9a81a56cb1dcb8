// World::review: what somebody else makes of an Execution's DeployItems before they are applied.
#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/deployers/execution.hpp>
#include <kubist/deployers/function.hpp>
#include <kubist/util/base64.hpp>

#include "support/fake_cluster.hpp"

using namespace kubist;
using namespace kubist::deployers;

namespace {

constexpr const char* k_items = "deployitems.landscaper.gardener.cloud";

std::string parts_of(const std::string& one, const std::string& two) {
  const auto part = [](const char* name, const std::string& phase) {
    return Json{{"name", name}, {"type", "kubist.io/mock"}, {"config", {{"phase", phase}}}};
  };
  return Json::array({part("one", one), part("two", two)}).dump();
}

/// Execution `e` in namespace `default` with one Templates item `t`.
struct Reviewed {
  ExecutionOutcome run(const std::string& given, const Json& more = Json::object()) {
    Json spec{
        {"items", Json::array({{{"name", "t"}, {"type", "Templates"}, {"template", given}}})}};
    spec.update(more);
    Json object{{"apiVersion", "kubist.io/v1alpha1"},
                {"kind", "Execution"},
                {"metadata", {{"name", "e"}, {"namespace", "default"}}},
                {"spec", spec}};
    object["status"] = status;
    const Json execution = cluster.put(object);
    World world;
    world.home = cluster.connect();
    world.place_of = [&](const std::string& ns, const std::string&) {
      return Place{world.home, ns, ""};
    };
    world.jsonnet = [&](const auto&, const auto& source, const auto&, const auto&) {
      return source;
    };
    world.review = [&](const std::vector<Json>& items) {
      asked.push_back(items.size());
      std::vector<Review> reviews;
      for (const Json& item : items) {
        reviews.push_back(review(item));
      }
      return reviews;
    };
    world.writer = kube::Writer(kube::Writer::Rules{});
    auto outcome = run_execution(world, {execution, execution["spec"]});
    REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().to_string()));
    status = outcome->status;
    return *std::move(outcome);
  }
  Json item(const std::string& name) { return cluster.get(k_items, "e-t-" + name, "default"); }

  testing::FakeCluster cluster{"home"};
  Json status = Json::object();
  std::vector<std::size_t> asked;
  std::function<Review(const Json&)> review = [](const Json& item) {
    return Review{item["spec"], ""};
  };
};

util::Error refusal() {
  return util::make_error(util::ErrorKind::denied, "not this", "", "PolicyDenied");
}

FunctionCall call_of_busybox() {
  FunctionCall call;
  call.ns = "default";
  call.name = "fn-x";
  call.function = "f";
  call.owner = {
      {"apiVersion", "kubist.io/v1alpha1"}, {"kind", "Execution"}, {"name", "e"}, {"uid", "1-2"}};
  call.config = {{"image", "busybox"}};
  call.timeout = "5s";
  call.input = "{}";
  return call;
}

}  // namespace

TEST_CASE("review: all that a template gives is asked about at once, and what is said is applied") {
  Reviewed r;
  r.review = [](const Json& item) {
    Json spec = item["spec"];
    spec["timeout"] = "7s";
    spec["config"]["delay"] = nullptr;
    return Review{spec, ""};
  };
  CHECK(r.run(parts_of("Succeeded", "Succeeded")).state == ExecutionOutcome::State::ready);
  CHECK(r.asked == std::vector<std::size_t>{2});
  CHECK(r.item("one")["spec"]["timeout"] == "7s");
  CHECK_FALSE(r.item("one")["spec"]["config"].contains("delay"));
  r.cluster.forget_log();
  CHECK(r.run(parts_of("Succeeded", "Succeeded")).state == ExecutionOutcome::State::ready);
  CHECK(r.cluster.writes().empty());
}

TEST_CASE("review: a refused item is not made, and waits for a change; others run") {
  Reviewed r;
  r.review = [](const Json& item) {
    return item["metadata"]["name"] == "e-t-one" ? Review{util::fail(refusal()), ""}
                                                 : Review{item["spec"], ""};
  };
  const auto outcome = r.run(parts_of("Succeeded", "Succeeded"));
  CHECK(outcome.state == ExecutionOutcome::State::stalled);
  CHECK(outcome.reason == "PolicyDenied");
  CHECK(outcome.message == "item t/one: not this");
  CHECK(r.item("one").is_null());
  CHECK(r.item("two")["status"]["phase"] == "Succeeded");
}

TEST_CASE("review: a part that depends on more names than there can be parts is not made") {
  Reviewed r;
  Json parts = Json::parse(parts_of("Succeeded", "Succeeded"));
  for (int i = 0; i < 257; ++i) {
    parts[1]["dependsOn"].push_back("one");
  }
  const auto outcome = r.run(parts.dump());
  CHECK_MESSAGE(outcome.message.find("deployItems[1] (two) has more than 256 names in its "
                                     "dependsOn") != std::string::npos,
                outcome.message);
  CHECK(r.item("one").is_null());
  parts[1]["dependsOn"].erase(0);
  CHECK(r.run(parts.dump()).state == ExecutionOutcome::State::ready);
}

TEST_CASE("review: no answer is no leave") {
  Reviewed r;
  r.review = [](const Json&) {
    return Review{util::fail(util::ErrorKind::timeout, "it takes too long"), ""};
  };
  CHECK(r.run(parts_of("Succeeded", "Succeeded")).state == ExecutionOutcome::State::failed);
  CHECK(r.item("one").is_null());
}

TEST_CASE("review: a rollback returns to nothing that is refused by now") {
  Reviewed r;
  const Json back{{"onFailure", "RollBack"}};
  CHECK(r.run(parts_of("Succeeded", "Succeeded"), back).state == ExecutionOutcome::State::ready);
  r.review = [](const Json& item) {
    const bool old = item["spec"]["config"].value("phase", "") == "Succeeded" &&
                     item["metadata"]["name"] == "e-t-one";
    return old ? Review{util::fail(refusal()), ""} : Review{item["spec"], ""};
  };
  const auto outcome = r.run(parts_of("Failed", "Succeeded"), back);
  CHECK(outcome.reason == "RolledBack");
  CHECK_MESSAGE(
      outcome.message.find("t/one could not be rolled back: not this") != std::string::npos,
      outcome.message);
  CHECK(r.item("one")["spec"]["config"]["phase"] == "Failed");
}

TEST_CASE("rollback: a kept Secret that somebody else wrote leads to no other Secret") {
  Reviewed r;
  const Json back{{"onFailure", "RollBack"}};
  CHECK(r.run(parts_of("Succeeded", "Succeeded"), back).state == ExecutionOutcome::State::ready);
  Json kept = r.cluster.get("secrets", "e-t-one-last", "default");
  const Json elsewhere{
      {"apiVersion", "v1"},
      {"kind", "Secret"},
      {"type", "bootstrap.kubernetes.io/token"},
      {"metadata", {{"name", "bootstrap-token-abcdef"}, {"namespace", "kube-system"}}},
      {"data", {{"imports.json", util::base64_encode("{}")}, {"token", "eA=="}}}};
  kept["data"]["importSecret"] = util::base64_encode(elsewhere.dump());
  r.cluster.plant(kept);
  CHECK(r.run(parts_of("Failed", "Succeeded"), back).reason == "RolledBack");
  CHECK(r.item("one")["spec"]["config"]["phase"] == "Succeeded");
  CHECK(r.cluster.get("secrets", "bootstrap-token-abcdef", "kube-system").is_null());
  const Json import = r.cluster.get("secrets", "e-t-one-import", "default");
  CHECK(import["type"] == "Opaque");
  CHECK(import["data"] == Json{{"imports.json", util::base64_encode("{}")}});
}

TEST_CASE("function: what somebody makes of its DeployItem meanwhile is not run") {
  testing::FakeCluster cluster{"home"};
  World world;
  world.home = cluster.connect();
  world.writer = kube::Writer(kube::Writer::Rules{});
  world.settings.agent_image = "kubist";
  bool changed = false;
  world.place_of = [&](const std::string& ns, const std::string&) {
    if (!std::exchange(changed, true)) {
      const Json made{{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", {{"name", "made"}, {"namespace", "kube-system"}}}};
      cluster.patch(k_items, "fn-x", ns, kube::PatchType::merge,
                    {{"spec",
                      {{"type", "kubist.io/manifest"},
                       {"import", nullptr},
                       {"config", {{"image", nullptr}, {"manifests", {made}}}}}}});
      cluster.patch(k_items, "fn-x", ns, kube::PatchType::merge,
                    {{"status", {{"jobID", "another"}}}}, "status");
    }
    return Place{world.home, ns, ""};
  };
  const FunctionCall call = call_of_busybox();
  const auto answer = run_function(world, call);
  REQUIRE_FALSE(answer);
  CHECK(changed);
  CHECK_MESSAGE(answer.error().reason == k_item_changed, answer.error().to_string());
  CHECK(cluster.get("configmaps", "made", "kube-system").is_null());
}

TEST_CASE("function: a DeployItem to which somebody added fields is not run") {
  testing::FakeCluster cluster{"home"};
  World world;
  world.home = cluster.connect();
  world.writer = kube::Writer(kube::Writer::Rules{});
  world.settings.agent_image = "kubist";
  int runs = 0;
  world.place_of = [&](const std::string&, const std::string&) -> util::Result<Place> {
    ++runs;
    return util::fail(util::ErrorKind::invalid, "there is no such place");
  };
  const FunctionCall call = call_of_busybox();
  CHECK_FALSE(run_function(world, call));
  const int first = std::exchange(runs, 0);
  CHECK(first > 0);
  cluster.patch(k_items, "fn-x", "default", kube::PatchType::merge,
                {{"spec", {{"config", {{"command", {"sh", "-c", "my answer"}}}}}}});
  const auto answer = run_function(world, call);
  REQUIRE_FALSE(answer);
  CHECK_MESSAGE(answer.error().reason == "NameTaken", answer.error().to_string());
  CHECK(answer.error().message ==
        "DeployItem default/fn-x has what kubist did not give it: spec.config.command");
  CHECK(runs == 0);
}
