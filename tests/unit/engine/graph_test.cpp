#include <ctime>

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "fakes.hpp"

using namespace kubist::engine;
using namespace kubist::engine::testing;

namespace {

NodeId only(const Graph& graph, const Key& wanted) {
  auto found = graph.find(wanted);
  REQUIRE(found.size() == 1);
  return found.front();
}

}  // namespace

TEST_CASE("graph: parents come from references and from the project's namespace") {
  FakeHome home;
  home.add("Root", "", "root");
  home.add("Project", "", "shop", {{"namespace", "shop-ns"}});
  home.add("Cluster", "shop-ns", "eu");
  home.add("VirtualCluster", "shop-ns", "dev", {{"clusterRef", {{"name", "eu"}}}});
  home.add("Execution", "shop-ns", "setup");
  Graph graph = home.graph();
  CHECK(graph.problems().empty());
  CHECK(graph.roots().size() == 1);
  NodeId cluster = only(graph, key("Cluster", "shop-ns", "eu"));
  CHECK(graph[graph[cluster].parent].key.name == "shop");
  CHECK(graph[only(graph, key("VirtualCluster", "shop-ns", "dev"))].parent == cluster);
  CHECK(graph[only(graph, key("Execution", "shop-ns", "setup"))].parent == graph[cluster].parent);
  CHECK(graph.preorder().size() == 5);
}

TEST_CASE("graph: without a Root projects stand on top") {
  FakeHome home;
  home.add("Project", "", "shop");
  CHECK(home.graph().problems().empty());
}

TEST_CASE("graph: a missing parent is a problem of that node, its subtree hangs below it") {
  FakeHome home;
  home.add("Project", "", "shop");
  home.add("VirtualCluster", "shop", "dev", {{"clusterRef", {{"name", "nowhere"}}}});
  home.add("Execution", "shop", "setup", {{"virtualClusterRef", {{"name", "dev"}}}});
  Graph graph = home.graph();
  REQUIRE(graph.problems().size() == 1);
  const Node& node = graph[only(graph, key("VirtualCluster", "shop", "dev"))];
  CHECK(node.problem_reason == "ParentNotFound");
  CHECK(node.problem->message.find("Cluster/nowhere") != std::string::npos);
  CHECK(node.children.size() == 1);
}

TEST_CASE("graph: a cycle of dependencies is printed") {
  FakeHome home;
  home.add("Project", "", "shop");
  home.add("Execution", "shop", "a", {{"dependsOn", {"Execution/b"}}});
  home.add("Execution", "shop", "b", {{"dependsOn", {"Execution/c"}}});
  home.add("Execution", "shop", "c", {{"dependsOn", {"Execution/a"}}});
  home.add("Execution", "shop", "d", {{"dependsOn", {"Execution/a"}}});
  Graph graph = home.graph();
  for (const char* name : {"a", "b", "c"}) {
    const Node& node = graph[only(graph, key("Execution", "shop", name))];
    CHECK(node.problem_reason == "DependencyCycle");
    REQUIRE(node.problem);
    CHECK(node.problem->message ==
          "dependsOn makes a cycle: Execution/shop/a -> Execution/shop/b -> Execution/shop/c -> "
          "Execution/shop/a");
  }
  CHECK_FALSE(graph[only(graph, key("Execution", "shop", "d"))].problem);
}

TEST_CASE("graph: an Execution comes after those whose exports it imports") {
  const auto imports = [](const char* from) {
    return Json{{"imports", Json::array({{{"name", "x"},
                                          {"executionRef", {{"name", from}, {"export", "y"}}}}})}};
  };
  FakeHome home;
  home.add("Project", "", "shop");
  home.add("Execution", "shop", "a", imports("b"));
  home.add("Execution", "shop", "b");
  home.add("Execution", "shop", "lost", imports("nobody"));
  Graph graph = home.graph();
  const NodeId a = only(graph, key("Execution", "shop", "a"));
  CHECK(graph[a].waits_for == std::vector{only(graph, key("Execution", "shop", "b"))});
  CHECK(graph[only(graph, key("Execution", "shop", "lost"))].problem_reason ==
        "DependencyNotFound");
  home.add("Execution", "shop", "b", imports("a"));
  Graph looped = home.graph();
  REQUIRE_FALSE(looped.problems().empty());
  CHECK(looped.problems()[0].message ==
        "dependsOn makes a cycle: Execution/shop/a -> Execution/shop/b -> Execution/shop/a");
}

TEST_CASE("graph: items that cannot be ordered are a problem before anything runs") {
  FakeHome home;
  home.add("Project", "", "shop");
  const Json spec{{"items", Json::array({{{"name", "a"}, {"dependsOn", {"nope"}}}})}};
  home.add("Execution", "shop", "bad", spec);
  Json later = spec;
  later["policies"] = Json::array({{{"name", "JsonPatch"}}});
  home.add("Execution", "shop", "later", later);
  Graph graph = home.graph();
  const Node& bad = graph[only(graph, key("Execution", "shop", "bad"))];
  CHECK(bad.problem_reason == "InvalidItem");
  REQUIRE(bad.problem);
  CHECK(bad.problem->message ==
        "Execution/shop/bad: item a depends on item nope, which does not exist");
  CHECK_FALSE(graph[only(graph, key("Execution", "shop", "later"))].problem);
}

TEST_CASE("graph: of a long cycle the message shows the first nodes") {
  FakeHome home;
  home.add("Project", "", "shop");
  for (int i = 0; i < 3000; ++i) {
    home.add("Execution", "shop", std::to_string(i),
             {{"dependsOn", {kubist::util::cat("Execution/", (i + 1) % 3000)}}});
  }
  const auto problems = home.graph().problems();
  REQUIRE(problems.size() == 3000);
  CHECK(problems[0].message.size() < 1000);
  CHECK(problems[0].message.find("... (3000 in all)") != std::string::npos);
}

TEST_CASE("graph: a dependency on what stands below is a cycle") {
  FakeHome home;
  home.add("Project", "", "shop");
  home.add("Cluster", "shop", "eu", {{"dependsOn", {"VirtualCluster/dev"}}});
  home.add("VirtualCluster", "shop", "dev", {{"clusterRef", {{"name", "eu"}}}});
  const Graph graph = home.graph();
  CHECK(graph[only(graph, key("Cluster", "shop", "eu"))].problem_reason == "DependencyCycle");
}

TEST_CASE("graph: a missing dependency names both ends") {
  FakeHome home;
  home.add("Project", "", "shop");
  home.add("Execution", "shop", "a", {{"dependsOn", {"Execution/gone"}}});
  auto problems = home.graph().problems();
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].reason == "DependencyNotFound");
  CHECK(problems[0].message.find("Execution/gone") != std::string::npos);
}

TEST_CASE("graph: settings are inherited, the nearest wins") {
  FakeHome home;
  home.add("Project", "", "shop", {{"settings", {{"step", 10}, {"tier", "gold"}}}});
  home.add("Cluster", "shop", "eu", {{"settings", {{"step", 5}}}});
  Graph graph = home.graph();
  NodeId cluster = only(graph, key("Cluster", "shop", "eu"));
  CHECK(graph.settings(cluster) == Json({{"step", 5}, {"tier", "gold"}}));
}

TEST_CASE("graph: require suggests the nearest name") {
  FakeHome home;
  home.add("Project", "", "shop");
  auto found = home.graph().require(key("Project", "", "shpo"));
  REQUIRE_FALSE(found);
  CHECK(found.error().message.find("did you mean \"shop\"") != std::string::npos);
}

TEST_CASE("graph: ten thousand nodes are built and planned in linear time") {
  std::vector<Node> nodes;
  nodes.push_back(make_node(make_object("Root", "", "root")));
  for (int p = 0; p < 10; ++p) {
    std::string project = "p" + std::to_string(p);
    nodes.push_back(make_node(make_object("Project", "", project)));
    for (int c = 0; c < 10; ++c) {
      std::string cluster = "c" + std::to_string(c);
      nodes.push_back(make_node(make_object("Cluster", project, cluster)));
      for (int v = 0; v < 100; ++v) {
        nodes.push_back(
            make_node(make_object("VirtualCluster", project, cluster + "-" + std::to_string(v),
                                  {{"clusterRef", {{"name", cluster}}}})));
      }
    }
  }
  const std::clock_t begin =
      std::clock();  // of the processor: other work on the machine does not count
  Graph graph = Graph::build(std::move(nodes));
  Plan plan(graph, graph.roots());
  std::size_t steps = 0;
  while (auto id = plan.next()) {
    plan.finish(*id, {});
    ++steps;
  }
  const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  CHECK(steps == 10111);
  CHECK(plan.finished());
  MESSAGE("10,111 nodes built and planned in " << took * 1000 << " ms");
  CHECK(took < 3.0);  // generous: debug build with sanitizers
}
