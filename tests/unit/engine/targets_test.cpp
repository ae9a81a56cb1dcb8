#include <algorithm>

#include <doctest/doctest.h>

#include <kubist/engine/targets.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

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

TEST_CASE("targets: an object beyond a limit is one node that says so, and all else goes on") {
  Shop home;
  const auto add_clusters = [&](const std::string& tier, int count) {
    for (int i = 0; i < count; ++i) {
      Json& object = home.add("VirtualCluster", "shop", tier + std::to_string(1000 + i),
                              {{"clusterRef", {{"name", "eu"}}}});
      object["metadata"]["labels"] = {{"tier", tier}};
    }
  };
  const auto all_of = [](const char* tier) {
    return Json{{"virtualClusterSelector", {{"matchLabels", {{"tier", tier}}}}}};
  };
  const auto problem = [&](const char* kind) {
    const Graph graph = home.graph();
    const auto nodes = nodes_of(graph, kind, "big");
    CHECK(nodes_of(graph, "TrafficRoute", "web").size() == 2);
    CHECK_FALSE(nodes_of(graph, "TrafficRoute", "web")[0]->problem);
    return nodes.size() == 1 ? nodes[0]->problem_reason : std::to_string(nodes.size());
  };
  home.add("Destination", "shop", "big", all_of("many"));
  add_clusters("many", 500);
  SUBCASE("of what it selects") {
    CHECK(problem("Destination") == "500");
    const Graph graph = home.graph();
    const auto nodes = nodes_of(graph, "Destination", "big");
    CHECK(nodes[0]->selected == nodes[499]->selected);  // shared, not copied
    add_clusters("many", 501);
    CHECK(problem("Destination") == "TooManyTargets");
  }
  SUBCASE("of what its status says") {
    Json& targets = home.at("Destination", "shop", "big")["status"]["targets"];
    for (int i = 0; i < 1000; ++i) {
      targets.push_back({{"virtualCluster", "gone" + std::to_string(i)}});
    }
    CHECK(problem("Destination") == "1500");
    targets.push_back({{"virtualCluster", "gone"}});
    CHECK(problem("Destination") == "TooManyTargets");
  }
  SUBCASE("of copies of its policies") {
    Json& spec = home.at("Destination", "shop", "big")["spec"];
    spec["policies"] = {{{"name", "own"}, {"parameters", {{"text", std::string(600'000, 'x')}}}}};
    CHECK(problem("Destination") == "TooManyTargets");
  }
  SUBCASE("of the namespace, where a small one still fits") {
    for (int i = 0; i < 98; ++i) {
      home.add("Destination", "shop", "d" + std::to_string(i), all_of("many"));
    }
    home.at("Destination", "shop", "big")["status"]["targets"] = {{{"virtualCluster", "gone"}}};
    home.add("EntryGateway", "shop", "big", all_of("many"));
    CHECK(problem("Destination") == "501");
    CHECK(problem("EntryGateway") == "TooManyTargets");
  }
}

TEST_CASE("targets: beyond a limit an object can go: it is a node where it made something") {
  Shop home;
  Json& route = home.at("TrafficRoute", "shop", "web");
  route["metadata"]["deletionTimestamp"] = "2026-11-22T10:00:00Z";
  const auto names = [&] {
    const Graph graph = home.graph();
    std::string all;
    for (const Node* node : nodes_of(graph, "TrafficRoute", "web")) {
      CHECK(node->problem_reason != "TooManyTargets");
      all += util::cat(node->target, node->leaving ? " left" : "", ";");
    }
    return all;
  };
  const auto made_on = [&](const std::vector<std::string>& targets) {
    route["status"]["targets"] = Json::array();
    for (const std::string& name : targets) {
      route["status"]["targets"].push_back({{"virtualCluster", name}});
    }
  };
  for (int i = 0; i < 600; ++i) {
    Json& object = home.add("VirtualCluster", "shop", util::cat("v", 1000 + i),
                            {{"clusterRef", {{"name", "eu"}}}});
    object["metadata"]["labels"] = {{"tier", "prod"}};
  }
  CHECK(names() == ";");
  made_on({"eu", "old"});
  CHECK(names() == "eu;old left;");
  std::vector<std::string> many;
  for (int i = 0; i < 1200; ++i) {
    many.push_back(util::cat("gone", 1000 + i));
  }
  made_on(many);
  const std::string some = names();
  CHECK(std::count(some.begin(), some.end(), ';') == 501);
  CHECK(some.starts_with(";gone1000 left;"));  // the object itself waits for the rest
  CHECK(some.ends_with("gone1499 left;"));
}

TEST_CASE("targets: what goes has its place before what stays") {
  Shop home;
  for (int i = 0; i < 500; ++i) {
    Json& object = home.add("VirtualCluster", "shop", util::cat("many", 1000 + i),
                            {{"clusterRef", {{"name", "eu"}}}});
    object["metadata"]["labels"] = {{"tier", "many"}};
  }
  const Json selects{{"virtualClusterSelector", {{"matchLabels", {{"tier", "many"}}}}}};
  for (int i = 0; i < 101; ++i) {
    Json& object = home.add("Destination", "shop", util::cat("d", 1000 + i), selects);
    if (i == 100) {
      object["metadata"]["deletionTimestamp"] = "2026-11-22T10:00:00Z";
      object["status"]["targets"] = {{{"virtualCluster", "many1000"}}};
    }
  }
  const Graph graph = home.graph();
  CHECK(nodes_of(graph, "Destination", "d1100").size() == 1);
  CHECK(nodes_of(graph, "Destination", "d1100")[0]->target == "many1000");
  CHECK(nodes_of(graph, "Destination", "d1098").size() == 500);
  CHECK(nodes_of(graph, "Destination", "d1099")[0]->problem_reason == "TooManyTargets");
}

TEST_CASE("targets: dependencies between targets of different virtual clusters are limited") {
  Shop home;
  for (int i = 0; i < 500; ++i) {
    for (const std::string tier : {"a", "b"}) {
      Json& object = home.add("VirtualCluster", "shop", tier + std::to_string(i),
                              {{"clusterRef", {{"name", "eu"}}}});
      object["metadata"]["labels"] = {{"tier", tier}};
    }
  }
  Json on_b{{"virtualClusterSelector", {{"matchLabels", {{"tier", "b"}}}}}};
  for (const char* name : {"one", "two", "three"}) {
    home.add("Destination", "shop", name,
             {{"virtualClusterSelector", {{"matchLabels", {{"tier", "a"}}}}}});
    on_b["dependsOn"].push_back(util::cat("Destination/", name));
  }
  home.add("TrafficRoute", "shop", "all", on_b);
  const Graph graph = home.graph();
  const auto nodes = nodes_of(graph, "TrafficRoute", "all");
  const auto stuck = [](const Node* node) { return node->problem_reason == "TooManyDependencies"; };
  CHECK(std::count_if(nodes.begin(), nodes.end(), stuck) == 500 - 333);
  CHECK_FALSE(stuck(nodes[0]));
  CHECK(graph.problems().size() == 500 - 333);

  // All of them can go.
  Plan plan(graph, graph.find(key("TrafficRoute", "shop", "all")), Mode::remove);
  std::size_t removed = 0;
  while (const auto next = plan.next()) {
    plan.finish(*next, {});
    ++removed;
  }
  CHECK(removed == 500);
  CHECK(plan.finished());
}

TEST_CASE("targets: a dependency is met on the same virtual cluster") {
  Shop home;
  home.add("Destination", "shop", "web", {{"virtualClusterSelector", Json::object()}});
  home.at("TrafficRoute", "shop", "web")["spec"]["dependsOn"] = {"Destination/web"};
  const Graph graph = home.graph();
  const auto nodes = nodes_of(graph, "TrafficRoute", "web");
  REQUIRE(nodes.size() == 2);
  for (const Node* node : nodes) {
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

TEST_CASE("targets: whatever stands in status.targets, what is no target is left out") {
  const Json no_targets =
      Json::array({"x", 7, Json(), Json::array(), Json::object(), {{"virtualCluster", 5}}});
  for (const Json& targets : {Json("x"), Json{{"virtualCluster", "old"}}, no_targets}) {
    CAPTURE(targets.dump());
    Shop home;
    Json& route = home.at("TrafficRoute", "shop", "web");
    route["status"]["targets"] = targets;
    const Graph graph = home.graph();
    CHECK(graph.problems().empty());
    const auto nodes = nodes_of(graph, "TrafficRoute", "web");
    REQUIRE(nodes.size() == 2);
    CHECK(nodes[0]->target == "eu");
    const Json status =
        with_target_status(route["status"], *nodes[0], own_status("True", "Aligned"), k_now);
    CHECK(target_names(status) == std::vector<std::string>{"eu"});
  }
}
