// What the objects of one project make of policies disturbs no other's.
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
      if (resource_name(input).starts_with("p1")) {
        in_time = other.wait(std::chrono::seconds(10)) && in_time;
      }
      answers.push_back({input, "", false});
    }
    return answers;
  }

  AlignedNode other{"p2c1v1"};
  std::atomic<bool> in_time = true;  ///< each time that it was asked
};

}  // namespace

TEST_CASE("isolation: a bug that one node's objects meet fails that node alone") {
  World world;
  FragileWorld fragile;
  world.add_tree();
  world.policies.add_builtin(definition_of("policy", std::make_shared<Fragile>()));
  for (const char* name : {"p1c1v1", "p1c1v2", "p1c2v1"}) {
    world.use_policy("p1", name, "policy");
  }
  world.use_policy("p2", "p2c1v1", "policy");
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
  auto definition = definition_of("policy", slow);
  definition->origin = "ClusterPolicyDefinition";
  REQUIRE(world.policies.add(definition));
  world.run();  // all above them are Ready: both begin at once
  world.use_policy("p1", "p1c1v1", "policy");
  world.use_policy("p2", "p2c1v1", "policy");
  world.executor->on_align = [&](const Node& node, const Context&) { slow->other.aligned(node); };
  const Graph graph = world.home.graph();
  const Report report = world.run(graph, {graph.find(key("VirtualCluster", "p1", "p1c1v1")).at(0),
                                          graph.find(key("VirtualCluster", "p2", "p2c1v1")).at(0)});
  CHECK(slow->in_time);
  CHECK(report.summary.ready == 2);
}

TEST_CASE("isolation: an object that cannot be read is its own problem only") {
  World world;
  world.add_tree();
  // No parser gives such a text: it stands for whatever breaks who reads it.
  world.home.add("TrafficRoute", "p1", "web",
                 {{"virtualClusterSelector", {{"matchLabels", {{"tier", "\xff"}}}}}});
  const Report report = world.run();
  const NodeReport& route = World::node(report, "web");
  CHECK(route.reason == "Unreadable");
  CHECK(route.message.starts_with("TrafficRoute/p1/web cannot be read: "));
  CHECK(report.summary.ready == 15);
}

TEST_CASE("isolation: a status above the selection that throws is an error of its node only") {
  struct Throwing : FakeHome {
    kubist::util::Result<StatusWritten> change(const Node& node, const Change& change) override {
      return node.key.name == "p1" ? throw std::logic_error("a bug")
                                   : FakeHome::change(node, change);
    }
  };
  World world;
  world.add_tree();
  world.run();
  Throwing home;
  home.objects = world.home.objects;
  world.executor->faults["p1c1"] =
      kubist::util::make_error(kubist::util::ErrorKind::invalid, "wrong");
  const Graph graph = home.graph();
  const RunParts parts{world.set,          home,           world.policies,
                       world.policy_world, world.observer, world.clock};
  const Report report = run(graph, {graph.find(key("Cluster", "p1", "p1c1")).at(0)},
                            {"run", world.clock.now(), false}, RunOptions(), parts, {});
  REQUIRE(report.status_errors().size() == 1);
  CHECK(report.status_errors()[0].message.find("a bug") != std::string::npos);
}

TEST_CASE("isolation: nodes that wait for others hold up no other node") {
  World world;
  world.add_tree();
  for (const std::string name : {"e1", "e2", "e3"}) {
    world.home.add("Execution", "p1", name);
  }
  AlignedNode other("p2c2v2");
  const auto waiting = std::make_shared<FakeExecutor>();
  waiting->waiting = true;
  std::atomic<int> in_time = 0;
  waiting->on_align = [&](const Node&, const Context&) {
    in_time += other.wait(std::chrono::seconds(10)) ? 1 : 0;
  };
  world.set.add("Waiting", waiting, {"Execution"}, {"Execution"});
  world.executor->on_align = [&](const Node& node, const Context&) { other.aligned(node); };
  RunOptions options;
  options.parallelism = 2;
  const Report report = world.run(options);
  CHECK(in_time == 3);
  CHECK(report.summary.ready == 18);
  CHECK(waiting->max_running <= 2);
}

TEST_CASE("isolation: a project with more work than there are places holds up no other project") {
  World world;
  world.add_tree();
  AlignedNode other("p2x");
  std::atomic<int> in_time = 0;
  const auto wait = [&](const Node& node, const Context&) {
    other.aligned(node);
    if (node.key.name.starts_with("p1x")) {
      in_time += other.wait(std::chrono::seconds(10)) ? 1 : 0;
    }
  };
  const auto add_many = [&](const std::string& kind) {
    for (int i = 0; i < 40; ++i) {
      world.home.add(kind, "p1", "p1x" + std::to_string(i));
    }
    world.home.add(kind, "p2", "p2x");
  };
  SUBCASE("whose items never end") {
    const auto waiting = std::make_shared<FakeExecutor>();
    waiting->waiting = true;
    waiting->on_align = wait;
    world.set.add("Waiting", waiting, {"Execution"}, {"Execution"});
    add_many("Execution");
  }
  SUBCASE("whose clusters are slow") {
    world.executor->on_align = wait;
    add_many("Cluster");
  }
  CHECK(world.run().summary.ready == 15 + 41);
  CHECK(in_time == 40);
}

TEST_CASE("isolation: policies that take their time hold up those of no other project") {
  World world;
  world.add_tree();
  const auto slow = std::make_shared<SlowForOne>();
  std::vector<std::pair<std::string, std::string>> nodes;  // project and name
  for (int i = 0; i < 40; ++i) {
    nodes.emplace_back("p1", "p1x" + std::to_string(i));
    world.home.add("VirtualCluster", "p1", nodes.back().second,
                   {{"clusterRef", {{"name", "p1c1"}}}});
  }
  nodes.emplace_back("p2", "p2c1v1");
  world.run();  // all above them are Ready: all begin at once
  for (const auto& [project, name] : nodes) {
    auto own = definition_of(name, slow);
    own->origin = "PolicyDefinition";
    own->ns = project;
    REQUIRE(world.policies.add(own));
    world.use_policy(project, name, name);
  }
  world.executor->on_align = [&](const Node& node, const Context&) { slow->other.aligned(node); };
  const Graph graph = world.home.graph();
  std::vector<NodeId> selected;
  for (const auto& [project, name] : nodes) {
    selected.push_back(graph.find(key("VirtualCluster", project, name)).at(0));
  }
  CHECK(world.run(graph, selected).summary.ready == 41);
  CHECK(slow->in_time);
}

TEST_CASE("isolation: policies that take their time hold up no node without") {
  World world;
  world.add_tree();
  const auto slow = std::make_shared<SlowForOne>();
  world.policies.add(definition_of("slow", slow));
  for (const std::string cluster : {"p1c1v1", "p1c1v2"}) {
    world.use_policy("p1", cluster, "slow");
  }
  world.executor->on_align = [&](const Node& node, const Context&) { slow->other.aligned(node); };
  RunOptions options;
  options.parallelism = 1;
  CHECK(world.run(options).summary.ready == 15);
  CHECK(slow->in_time);
}

TEST_CASE("isolation: what is left out of a run is not touched, and not in its report") {
  World world;
  world.add_tree();
  const Graph graph = world.home.graph();
  RunOptions options;
  options.left_out = graph.find(key("Cluster", "p1", "p1c1"));
  const Report report = world.run(graph, graph.roots(), options);
  CHECK(report.nodes.size() == 12);
  CHECK(world.executor->place("align p1c1v1") == -1);
  CHECK(world.executor->place("align p1c2v1") >= 0);
  CHECK_FALSE(world.home.changed.contains("p1c1"));
  CHECK(world.condition("Project", "", "p1", "Ready") == "True Aligned");
}

TEST_CASE("isolation: what another run wrote meanwhile is neither lost nor overlooked") {
  World world;
  world.add_tree();
  world.run();
  const Graph graph = world.home.graph();
  world.executor->on_align = [&, first = true](const Node& node, const Context&) mutable {
    if (node.key.name != "p1c1v1" || !std::exchange(first, false)) {
      return;
    }
    world.executor->faults["p1c1v2"] = {kubist::util::ErrorKind::unavailable, "it is down"};
    const Graph now = world.home.graph();
    world.run(now, now.find(key("VirtualCluster", "p1", "p1c1v2")));
  };
  world.run(graph, graph.find(key("VirtualCluster", "p1", "p1c1v1")));
  CHECK(world.condition("VirtualCluster", "p1", "p1c1v2", "Ready").starts_with("False"));
  CHECK(world.condition("Cluster", "p1", "p1c1", "TreeReady").starts_with("False"));
  CHECK(world.condition("Project", "", "p1", "TreeReady").starts_with("False"));
}
