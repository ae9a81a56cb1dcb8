// A tree at rest, and what is left of it afterwards.
#include <doctest/doctest.h>

#include <kubist/engine/packed_graph.hpp>

#include "fakes.hpp"

using namespace kubist::engine;
using namespace kubist::engine::testing;

namespace {

/// Executions without their objects.
Graph packed_and_unpacked(const Graph& graph) {
  return PackedGraph(graph, [](const Node& node) { return node.key.kind == "Execution"; }).unpack();
}

}  // namespace

TEST_CASE("packed graph: every node stands where it stood, and is found by its key") {
  FakeHome home;
  home.add("Root", "", "root");
  for (const char* project : {"shop", "blog"}) {
    home.add("Project", "", project, {{"namespace", std::string(project) + "-ns"}});
    home.add("Cluster", std::string(project) + "-ns", "eu");
    for (const char* name : {"a", "b", "c"}) {
      home.add("Execution", std::string(project) + "-ns", name);
    }
  }
  home.add("Execution", "shop-ns", "later", {{"dependsOn", {"Execution/a"}}});
  home.add("Execution", "shop-ns", "checked", {{"policies", {{{"name", "hold"}}}}});
  const Graph graph = home.graph();
  const Graph again = packed_and_unpacked(graph);
  REQUIRE(again.size() == graph.size());
  CHECK(again.roots() == graph.roots());
  CHECK(again.preorder() == graph.preorder());
  for (const Node& node : graph.nodes()) {
    const Node& same = again[node.id];
    CAPTURE(to_string(node));
    CHECK(same.key == node.key);
    CHECK(same.parent == node.parent);
    CHECK(same.children == node.children);
    CHECK(same.waits_for == node.waits_for);
    CHECK(same.waited_by == node.waited_by);
    CHECK(same.policies.size() == node.policies.size());
    CHECK(same.deleting == node.deleting);
    CHECK(same.foreign_status == node.foreign_status);
    CHECK(again.find(node.key) == std::vector{node.id});
    if (node.key.kind == "Execution") {
      CHECK(*same.object == Json{{"kind", "Execution"}, {"metadata", Json::object()}});
    } else {
      CHECK(*same.object == *node.object);
    }
  }
  CHECK(again.find(key("Execution", "shop-ns", "z")).empty());
  REQUIRE(again.project_of("blog-ns") != nullptr);
  CHECK(again.project_of("blog-ns")->key.name == "blog");
}

TEST_CASE("packed graph: what goes, is suspended or has a problem says so still") {
  FakeHome home;
  home.add("Project", "", "shop");
  home.add("Execution", "shop", "lost", {{"virtualClusterRef", {{"name", "nowhere"}}}});
  home.add("Execution", "shop", "still", {{"suspend", true}});
  const Graph graph = home.graph();
  const Graph again = packed_and_unpacked(graph);
  CHECK(again.problems().size() == 1);
  CHECK(graph.problems().size() == 1);
  const auto still = again.find(key("Execution", "shop", "still"));
  REQUIRE(still.size() == 1);
  CHECK(again.suspended(still.front()));
}
