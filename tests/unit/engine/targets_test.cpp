#include <doctest/doctest.h>

#include <kubist/engine/targets.hpp>
#include <kubist/util/duration.hpp>

#include "fakes.hpp"

using namespace kubist;
using namespace kubist::engine;
using namespace kubist::engine::testing;

namespace {

const auto k_now = *util::parse_time("2026-11-22T10:00:00Z");
const auto k_later = *util::parse_time("2026-11-22T11:00:00Z");

/// Three virtual clusters, and a route on the two that are for production.
struct Shop : FakeHome {
  Shop() {
    add("Project", "", "shop");
    for (const char* name : {"eu", "us", "test"}) {
      add("Cluster", "shop", name);
      Json& object = add("VirtualCluster", "shop", name, {{"clusterRef", {{"name", name}}}});
      object["metadata"]["labels"] = {{"tier", name == std::string("test") ? "test" : "prod"}};
    }
    add("TrafficRoute", "shop", "web",
        {{"virtualClusterSelector", {{"matchLabels", {{"tier", "prod"}}}}}});
  }
};

std::vector<const Node*> nodes_of(const Graph& graph, const char* kind, const char* name) {
  std::vector<const Node*> nodes;
  for (const NodeId id : graph.find(key(kind, "shop", name))) {
    nodes.push_back(&graph[id]);
  }
  return nodes;
}

Json own_status(const char* ready, const char* reason, const char* message = "") {
  StatusInput input;
  input.phase =
      ready == std::string("True") ? StatusInput::Phase::ready : StatusInput::Phase::retrying;
  input.reason = reason;
  input.message = message;
  input.generation = 1;
  input.now = k_now;
  input.run_id = "run";
  input.fields = {{"host", "web"}, {"inventory", Json::array({reason})}};
  return compute_status(Json::object(), input);
}

std::string joined(const Json& status, const char* type) {
  return std::string(to_string(condition_truth(status, type)));
}

}  // namespace

TEST_CASE("targets: an object is one node on each virtual cluster that it selects") {
  Shop home;
  const Graph graph = home.graph();
  CHECK(graph.problems().empty());
  const auto nodes = nodes_of(graph, "TrafficRoute", "web");
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0]->target == "eu");
  CHECK(to_string(*nodes[1]) == "TrafficRoute/shop/web on us");
  CHECK(graph[nodes[1]->parent].key.name == "us");
  CHECK(*nodes[0]->selected == std::vector<std::string>{"eu", "us"});
}

TEST_CASE("targets: what was made where it is not selected any more goes, and only that") {
  Shop home;
  Json& route = home.at("TrafficRoute", "shop", "web");
  route["status"]["targets"] =
      Json::array({{{"virtualCluster", "test"}}, {{"virtualCluster", "old"}}});
  const Graph graph = home.graph();
  const auto nodes = nodes_of(graph, "TrafficRoute", "web");
  REQUIRE(nodes.size() == 4);
  for (const Node* node : nodes) {
    const bool selected = node->target == "eu" || node->target == "us";
    CHECK(node->leaving == !selected);
    CHECK(graph.deleting(node->id) == !selected);
    CHECK_FALSE(node->deleting);
  }
}

TEST_CASE("targets: none selected, and a selector that does not read, are seen below the project") {
  Shop home;
  const auto reason = [&](Json selector) {
    home.at("TrafficRoute", "shop", "web")["spec"]["virtualClusterSelector"] = std::move(selector);
    const Graph graph = home.graph();
    const auto nodes = nodes_of(graph, "TrafficRoute", "web");
    REQUIRE(nodes.size() == 1);
    CHECK(graph[nodes[0]->parent].key.kind == "Project");
    return nodes[0]->problem_reason;
  };
  CHECK(reason({{"matchLabels", {{"tier", "none"}}}}) == "NoVirtualCluster");
  CHECK(reason({{"matchExpressions", Json::array({{{"key", "tier"}, {"operator", "In"}}})}}) ==
        "InvalidSelector");
}

TEST_CASE("targets: a dependency is met on the same virtual cluster") {
  Shop home;
  home.add("Destination", "shop", "web", {{"virtualClusterSelector", Json::object()}});
  home.at("TrafficRoute", "shop", "web")["spec"]["dependsOn"] = {"Destination/web"};
  const Graph graph = home.graph();
  for (const Node* node : nodes_of(graph, "TrafficRoute", "web")) {
    REQUIRE(node->waits_for.size() == 1);
    CHECK(graph[node->waits_for[0]].target == node->target);
  }
}

TEST_CASE("targets: a status is taken apart and put together again") {
  Shop home;
  const Graph graph = home.graph();
  const auto nodes = nodes_of(graph, "TrafficRoute", "web");
  Json status = with_target_status(Json::object(), *nodes[0], own_status("True", "Aligned"), k_now);
  CHECK(joined(status, "Ready") == "Unknown");
  CHECK_FALSE(status.contains("observedGeneration"));
  status =
      with_target_status(status, *nodes[1], own_status("False", "Unreachable", "no answer"), k_now);
  CHECK(joined(status, "Ready") == "False");
  CHECK(joined(status, "Reconciling") == "True");
  CHECK((*find_condition(status, "Ready"))["reason"] == "Unreachable");
  CHECK((*find_condition(status, "Ready"))["message"] == "1 of 2 not ready: us: no answer");
  CHECK(status["observedGeneration"] == 1);
  CHECK(status["host"] == "web");
  CHECK_FALSE(status.contains("inventory"));
  CHECK(status["lastRun"]["id"] == "run");
  CHECK(status["targets"][0]["ready"] == true);
  CHECK(status["targets"][1]["reason"] == "Unreachable");
  CHECK(target_names(status) == std::vector<std::string>{"eu", "us"});

  Json own = own_status("True", "Aligned");
  own.erase("lastRun");
  CHECK(target_status(status, "eu") == own);
  CHECK(target_status(status, "asia") == Json::object());

  status = with_target_status(status, *nodes[1], own, k_later);
  CHECK(joined(status, "Ready") == "True");
  CHECK(joined(status, "TreeReady") == "True");
  CHECK((*find_condition(status, "Ready"))["message"] == "");
  // Nothing new is nothing to write.
  CHECK(with_target_status(status, *nodes[0], own, k_later + std::chrono::hours(1)) == status);

  status = with_target_status(status, *nodes[1], Json(), k_later);
  CHECK(target_names(status) == std::vector<std::string>{"eu"});
  CHECK(joined(status, "Ready") == "Unknown");
}

TEST_CASE("targets: what is no entry of status.targets breaks no graph, and is no target") {
  Shop home;
  home.at("TrafficRoute", "shop", "web")["status"]["targets"] = {"eu", 7, nullptr, Json::object()};
  const Graph graph = home.graph();
  CHECK(nodes_of(graph, "TrafficRoute", "web").size() == 2);
}
