#include <atomic>

#include <doctest/doctest.h>

#include "fakes.hpp"

using namespace kubist::engine;
using namespace kubist::engine::testing;

namespace {

/// Gives back what it gets, and remembers how many came at once.
struct Identity : PolicyRuntime {
  std::vector<PolicyAnswer> evaluate(const PolicyDefinition&, std::span<const Json> inputs,
                                     const std::stop_token&) override {
    std::vector<PolicyAnswer> answers;
    for (const Json& input : inputs) {
      answers.push_back({input, "", false});
    }
    return answers;
  }
};

/// Node p1c1v1 is read only after node p1c1v2 has been aligned.
struct OneIsSlow : PolicyWorld {
  bool gathers(const Node& node) const override { return node.key.kind == "VirtualCluster"; }
  void gather(const Node& node, const std::vector<PolicyUse>& uses) override {
    {
      const std::lock_guard lock(mutex);
      gathered.push_back(node.key.name);
      with_metrics = with_metrics || !uses.empty();
    }
    if (node.key.name == "p1c1v1") {
      in_time = other.wait(std::chrono::seconds(20));
    }
  }
  kubist::util::Result<Json> metrics(const Node&, const PolicyDefinition&, const Json&) override {
    return Json::object();
  }

  AlignedNode other{"p1c1v2"};
  std::mutex mutex;
  std::vector<std::string> gathered;
  bool in_time = false, with_metrics = false;
};

/// Asks for one call until it is answered, and labels its node with the answer.
struct Caller : PolicyRuntime {
  std::vector<PolicyAnswer> evaluate(const PolicyDefinition&, std::span<const Json> inputs,
                                     const std::stop_token&) override {
    std::vector<PolicyAnswer> answers;
    for (Json list : inputs) {
      Json& config = list["functionConfig"];
      if (config.contains("answers")) {
        list["items"][0]["spec"]["labels"] = config["answers"]["gate"];
      }
      const PolicyCall call{"gate", 1, 0, WebhookCall{"http://gate.test/"}};
      config["status"]["calls"] = {to_json(call)};
      answers.push_back({std::move(list), "", false});
    }
    return answers;
  }
};

/// Whom node p1c1v1 calls answers only after node p1c1v2 has been aligned.
struct CalledSlowly : PolicyWorld {
  kubist::util::Result<Json> call(const Node& node, const RequestedCall& call) override {
    if (node.key.name == "p1c1v1") {
      in_time = other.wait(std::chrono::seconds(20));
    }
    ++calls;
    return Json{{"url", std::get<WebhookCall>(call.call.what).url}};
  }

  AlignedNode other{"p1c1v2"};
  std::atomic<int> calls{0};
  bool in_time = false;
};

}  // namespace

TEST_CASE("calls: what a policy calls for is called once, and keeps only its own node waiting") {
  World world;
  CalledSlowly slow;
  const auto caller = definition_of("Caller", std::make_shared<Caller>());
  bool ready = true;
  SUBCASE("of a built-in policy") {}
  SUBCASE("of another one it is refused") {
    caller->origin = "ClusterPolicyDefinition";
    ready = false;
  }
  world.policies.add_builtin(caller);
  world.add_tree();
  for (const char* name : {"p1c1v1", "p1c1v2"}) {
    world.use_policy("p1", name, "Caller");
  }
  world.executor->on_align = [&](const Node& node, const Context&) { slow.other.aligned(node); };
  const Graph graph = world.home.graph();
  const RunParts parts{world.set, world.home, world.policies, slow, world.observer, world.clock};
  const Report report =
      run(graph, graph.roots(), {"run", world.clock.now(), false}, RunOptions(), parts, {});
  CHECK(slow.calls == (ready ? 2 : 0));
  CHECK(slow.in_time == ready);
  CHECK(report.summary.ready == (ready ? 15 : 13));
  for (const char* name : {"p1c1v1", "p1c1v2"}) {
    if (ready) {
      CHECK(world.executor->specs[name]["labels"]["url"] == "http://gate.test/");
    } else {
      CHECK(world.condition("VirtualCluster", "p1", name, "Ready") == "False PolicyFailed");
    }
  }
}

TEST_CASE("gather: what is slow to read keeps only its own node waiting") {
  World world;
  OneIsSlow slow;
  const auto identity = definition_of("Identity", std::make_shared<Identity>());
  identity->metrics = {{"window", WindowQuery{}}};
  world.policies.add_builtin(identity);
  world.add_tree();
  for (const char* name : {"p1c1v1", "p1c1v2"}) {
    world.use_policy("p1", name, "Identity");
  }
  world.executor->on_align = [&](const Node& node, const Context&) { slow.other.aligned(node); };
  const Graph graph = world.home.graph();
  const RunParts parts{world.set, world.home, world.policies, slow, world.observer, world.clock};
  const Report report =
      run(graph, graph.roots(), {"run", world.clock.now(), false}, RunOptions(), parts, {});
  CHECK(slow.in_time);
  CHECK(slow.with_metrics);
  CHECK(slow.gathered.size() == 2);  // once each, and only where there are policies
  CHECK(report.summary.ready == 15);
}
