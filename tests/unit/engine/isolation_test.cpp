// What the objects of one project make of policies disturbs no other's.
#include <condition_variable>
#include <stdexcept>

#include <doctest/doctest.h>

#include "fakes.hpp"

using namespace kubist::engine;
using namespace kubist::engine::testing;

namespace {

std::string resource_name(const Json& input) { return input["items"][0]["metadata"]["name"]; }

/// Gives back what it gets. The input of p1c1v1 meets a bug in it.
struct Fragile : PolicyRuntime {
  std::vector<PolicyAnswer> evaluate(const PolicyDefinition&, std::span<const Json> inputs,
                                     const std::stop_token&) override {
    std::vector<PolicyAnswer> answers;
    for (const Json& input : inputs) {
      if (resource_name(input) == "p1c1v1") {
        throw std::logic_error("a bug in a runtime");
      }
      answers.push_back({input, "", false});
    }
    return answers;
  }
};

/// What p1c1v2 asks for meets a bug.
struct FragileWorld : PolicyWorld {
  kubist::util::Result<Json> metrics(const Node& node, const PolicyDefinition&,
                                     const Json&) override {
    if (node.key.name == "p1c1v2") {
      throw std::logic_error("a bug behind the metrics");
    }
    return Json::object();
  }
};

/// Has no answer for project p1 before p2's node has been aligned.
struct SlowForOne : PolicyRuntime {
  std::vector<PolicyAnswer> evaluate(const PolicyDefinition&, std::span<const Json> inputs,
                                     const std::stop_token&) override {
    std::vector<PolicyAnswer> answers;
    for (const Json& input : inputs) {
      std::unique_lock lock(mutex);
      if (resource_name(input).starts_with("p1")) {
        in_time = changed.wait_for(lock, std::chrono::seconds(10), [&] { return other_aligned; });
      }
      answers.push_back({input, "", false});
    }
    return answers;
  }
  void aligned(const Node& node) {
    const std::lock_guard lock(mutex);
    other_aligned = other_aligned || node.key.name == "p2c1v1";
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool other_aligned = false, in_time = false;
};

std::shared_ptr<PolicyDefinition> definition_of(std::shared_ptr<PolicyRuntime> runtime) {
  auto definition = std::make_shared<PolicyDefinition>();
  definition->name = "policy";
  definition->origin = k_built_in;
  definition->schema = *compile_parameters(definition->parameters, "policy");
  definition->runtime = std::move(runtime);
  return definition;
}

void use_policy(World& world, const std::string& project, const std::string& name) {
  world.home.at("VirtualCluster", project, name)["spec"]["policies"] =
      Json::array({{{"name", "policy"}}});
}

}  // namespace

TEST_CASE("isolation: a bug that one node's objects meet fails that node alone") {
  World world;
  FragileWorld fragile;
  world.add_tree();
  world.policies.add_builtin(definition_of(std::make_shared<Fragile>()));
  for (const char* name : {"p1c1v1", "p1c1v2", "p1c2v1"}) {
    use_policy(world, "p1", name);
  }
  use_policy(world, "p2", "p2c1v1");
  const Graph graph = world.home.graph();
  const RunParts parts{world.set, world.home, world.policies, fragile, world.observer, world.clock};
  const Report report =
      run(graph, graph.roots(), {"run", world.clock.now(), false}, RunOptions(), parts, {});
  CHECK(World::node(report, "p1c1v1").message.find("a bug in a runtime") != std::string::npos);
  CHECK(World::node(report, "p1c1v2").message.find("a bug behind the metrics") !=
        std::string::npos);
  CHECK(World::node(report, "p1c2v1").ready);
  CHECK(World::node(report, "p2c1v1").ready);
  CHECK(report.summary.ready == 13);
}

TEST_CASE("isolation: a policy that one project's objects keep busy keeps no other project") {
  World world;
  world.add_tree();
  const auto slow = std::make_shared<SlowForOne>();
  auto definition = definition_of(slow);
  definition->origin = "ClusterPolicyDefinition";
  REQUIRE(world.policies.add(definition));
  world.run();  // all above them are Ready: both begin at once
  use_policy(world, "p1", "p1c1v1");
  use_policy(world, "p2", "p2c1v1");
  world.executor->on_align = [&](const Node& node, const Context&) { slow->aligned(node); };
  const Graph graph = world.home.graph();
  const Report report = world.run(graph, {graph.find(key("VirtualCluster", "p1", "p1c1v1")).at(0),
                                          graph.find(key("VirtualCluster", "p2", "p2c1v1")).at(0)});
  CHECK(slow->in_time);
  CHECK(report.summary.ready == 2);
}
