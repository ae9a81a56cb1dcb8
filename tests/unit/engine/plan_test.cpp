#include <random>

#include <doctest/doctest.h>

#include "fakes.hpp"

using namespace kubist::engine;
using namespace kubist::engine::testing;

namespace {

/// Runs a plan to its end, one node at a time; the order of names.
std::vector<std::string> drive(const Graph& graph, Plan& plan,
                               const std::map<std::string, Verdict>& verdicts = {}) {
  std::vector<std::string> order;
  while (auto id = plan.next()) {
    const std::string& name = graph[*id].key.name;
    order.push_back(name);
    auto verdict = verdicts.find(name);
    plan.finish(*id, verdict == verdicts.end() ? Verdict{} : verdict->second);
  }
  return order;
}

bool has_cycle(const Graph& graph) {
  const auto problems = graph.problems();
  return std::any_of(problems.begin(), problems.end(),
                     [](const auto& error) { return error.reason == "DependencyCycle"; });
}

NodeId id_of(const Graph& graph, const std::string& name) {
  for (const Node& node : graph.nodes()) {
    if (node.key.name == name) {
      return node.id;
    }
  }
  throw std::out_of_range(name);
}

std::ptrdiff_t place(const std::vector<std::string>& order, const std::string& name) {
  auto found = std::find(order.begin(), order.end(), name);
  return found == order.end() ? -1 : found - order.begin();
}

const Verdict k_failed{NodeState::failed, false, false, "Broken"};

}  // namespace

TEST_CASE("plan: parents first, kinds in order, siblings together") {
  World world;
  world.add_tree();
  world.home.add("Execution", "p1", "p1x");
  Graph graph = world.home.graph();
  Plan plan(graph, graph.roots());
  CHECK(graph[*plan.next()].key.name == "root");
  CHECK_FALSE(plan.next());  // nothing else may start yet
  plan.finish(id_of(graph, "root"), {});
  CHECK(graph[*plan.next()].key.name == "p1");
  CHECK(graph[*plan.next()].key.name == "p2");
  plan.finish(id_of(graph, "p1"), {});
  CHECK(graph[*plan.next()].key.name == "p1c1");
  CHECK(graph[*plan.next()].key.name == "p1c2");
  CHECK_FALSE(plan.next());  // the Execution comes after the clusters
  plan.finish(id_of(graph, "p1c1"), k_failed);
  plan.finish(id_of(graph, "p1c2"), {});
  std::set<std::string> next;
  while (auto id = plan.next()) {
    next.insert(graph[*id].key.name);
  }
  CHECK(next == std::set<std::string>{"p1x", "p1c2v1", "p1c2v2"});
  CHECK(plan.state(id_of(graph, "p1c1v1")) == NodeState::blocked);
  CHECK(plan.reason(id_of(graph, "p1c1v1")) == "ParentNotReady");
}

TEST_CASE("plan: what follows a node runs after it on several virtual clusters, however it ends") {
  FakeHome home;
  home.add("Project", "", "p");
  home.add("CanaryRelease", "p", "release", {{"routes", {"route"}}});
  home.add("TrafficRoute", "p", "route", {{"virtualClusterSelector", Json::object()}});
  for (const char* name : {"eu", "us"}) {
    home.add("Cluster", "p", name);
    home.add("VirtualCluster", "p", std::string("vc-") + name, {{"clusterRef", {{"name", name}}}});
  }
  const Graph graph = home.graph();
  const auto routes = [](const Node& node) {
    return node.key.name == "release" ? std::vector<Key>{key("TrafficRoute", "p", "route")}
                                      : std::vector<Key>();
  };
  Plan plan(graph, graph.roots(), Mode::align, routes);
  const auto order = drive(graph, plan, {{"us", k_failed}, {"release", k_failed}});
  // The other route's virtual cluster is below a Cluster that failed.
  CHECK(std::count(order.begin(), order.end(), "route") == 1);
  CHECK(place(order, "release") < place(order, "route"));
  CHECK(place(order, "release") > place(order, "eu"));
  CHECK(plan.finished());
  // A release that waits for its route is not waited for.
  home.at("CanaryRelease", "p", "release")["spec"]["dependsOn"] = {"TrafficRoute/route"};
  const Graph turned = home.graph();
  Plan other(turned, turned.roots(), Mode::align, routes);
  CHECK(place(drive(turned, other), "release") > 0);
}

TEST_CASE("plan: dependsOn waits for Ready and stops what depends on a failed one") {
  World world;
  world.home.add("Project", "", "shop");
  world.home.add("Execution", "shop", "a", {{"dependsOn", {"Execution/z"}}});
  world.home.add("Execution", "shop", "b");
  world.home.add("Execution", "shop", "z");
  Graph graph = world.home.graph();
  SUBCASE("ready") {
    Plan plan(graph, graph.roots());
    CHECK(drive(graph, plan) == std::vector<std::string>{"shop", "b", "z", "a"});
  }
  SUBCASE("failed") {
    Plan plan(graph, graph.roots());
    CHECK(drive(graph, plan, {{"z", k_failed}}) == std::vector<std::string>{"shop", "b", "z"});
    CHECK(plan.reason(id_of(graph, "a")) == "DependencyNotReady");
    CHECK(plan.cause(id_of(graph, "a")) == id_of(graph, "z"));
    CHECK(plan.finished());
  }
}

TEST_CASE("plan: a Cluster may depend on the Execution that makes it") {
  World world;
  world.home.add("Project", "", "shop");
  world.home.add("Cluster", "shop", "made", {{"dependsOn", {"Execution/maker"}}});
  world.home.add("Cluster", "shop", "other");
  world.home.add("Execution", "shop", "maker");
  Graph graph = world.home.graph();
  CHECK(graph.problems().empty());
  Plan plan(graph, graph.roots());
  CHECK(drive(graph, plan) == std::vector<std::string>{"shop", "other", "maker", "made"});
}

TEST_CASE("plan: a suspended subtree is left out, deletion excepted") {
  World world;
  world.add_tree();
  world.home.at("Cluster", "p1", "p1c1")["spec"]["suspend"] = true;
  world.home.at("VirtualCluster", "p1", "p1c1v2")["metadata"]["deletionTimestamp"] =
      "2026-01-01T00:00:00Z";
  Graph graph = world.home.graph();
  Plan plan(graph, graph.roots());
  auto order = drive(graph, plan);
  CHECK(place(order, "p1c1") == -1);
  CHECK(place(order, "p1c1v1") == -1);
  CHECK(place(order, "p1c1v2") >= 0);
  CHECK(plan.reason(id_of(graph, "p1c1v1")) == "Suspended");
  CHECK(plan.mode(id_of(graph, "p1c1v2")) == Mode::remove);
  CHECK(plan.finished());
}

TEST_CASE("plan: removal runs backwards and stops above what remains") {
  World world;
  world.add_tree();
  world.home.add("Execution", "p1", "x1");
  world.home.add("Execution", "p1", "x2", {{"dependsOn", {"Execution/x1"}}});
  Graph graph = world.home.graph();
  SUBCASE("all go") {
    Plan plan(graph, {id_of(graph, "p1")}, Mode::remove);
    auto order = drive(graph, plan);
    CHECK(order.size() == 9);
    CHECK(place(order, "x2") < place(order, "x1"));
    CHECK(place(order, "x1") < place(order, "p1c1"));
    CHECK(place(order, "p1c1v1") < place(order, "p1c1"));
    CHECK(order.back() == "p1");
  }
  SUBCASE("one stays") {
    Plan plan(graph, {id_of(graph, "p1")}, Mode::remove);
    auto order = drive(graph, plan, {{"p1c1v1", k_failed}});
    CHECK(place(order, "p1c1v2") >= 0);
    CHECK(place(order, "p1c2") >= 0);
    CHECK(place(order, "p1c1") == -1);
    CHECK(plan.reason(id_of(graph, "p1c1")) == "ChildrenRemain");
    CHECK(plan.state(id_of(graph, "p1")) == NodeState::blocked);
    CHECK(plan.finished());
  }
}

TEST_CASE("plan: a Root that is being deleted goes alone, its projects go on") {
  World world;
  world.add_tree();
  world.home.at("Root", "", "root")["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  Graph graph = world.home.graph();
  Plan plan(graph, graph.roots());
  CHECK(plan.mode(id_of(graph, "root")) == Mode::remove);
  CHECK(plan.mode(id_of(graph, "p1")) == Mode::align);
  CHECK(drive(graph, plan).size() == graph.size());
  CHECK(plan.finished());
  CHECK(plan.ready(id_of(graph, "p1c1v1")));
}

TEST_CASE("plan: nodes outside the selection count as their status says") {
  World world;
  world.add_tree();
  Graph before = world.home.graph();
  Plan early(before, {id_of(before, "p1c1v1")});
  CHECK(early.finished());
  CHECK(early.reason(id_of(before, "p1c1v1")) == "ParentNotReady");
  world.run();
  Graph after = world.home.graph();
  Plan later(after, {id_of(after, "p1c1v1")});
  CHECK(drive(after, later) == std::vector<std::string>{"p1c1v1"});
}

TEST_CASE("plan: a Root that no run has looked at does not hold up a project, a wrong one does") {
  World world;
  world.add_tree();
  const auto go = [&] {
    Graph graph = world.home.graph();
    Plan plan(graph, {id_of(graph, "p2")});
    drive(graph, plan);
    return std::pair(plan.state(id_of(graph, "p2")), plan.reason(id_of(graph, "p2")));
  };
  CHECK(go().first == NodeState::done);
  world.home.at("Root", "", "root")["status"] = {
      {"conditions", Json::array({{{"type", "Ready"}, {"status", "False"}}})}};
  CHECK(go() == std::pair(NodeState::blocked, std::string("ParentNotReady")));
}

TEST_CASE("plan: stop leaves out what has not started") {
  World world;
  world.add_tree();
  Graph graph = world.home.graph();
  Plan plan(graph, graph.roots());
  auto root = plan.next();
  plan.stop("Cancelled");
  CHECK_FALSE(plan.finished());
  plan.finish(*root, {});
  CHECK(plan.finished());
  CHECK_FALSE(plan.next());
  CHECK(plan.reason(id_of(graph, "p1")) == "Cancelled");
}

TEST_CASE("plan: random trees end, in an order that keeps every promise") {
  std::mt19937 random(20261121);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    FakeHome home;
    home.add("Project", "", "p");
    std::vector<std::string> known;
    auto depends = [&] {
      Json list = Json::array();
      for (int i = below(3); i > 0 && !known.empty(); --i) {
        list.push_back(known[random() % known.size()]);
      }
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      return list;
    };
    int clusters = 1 + below(3);
    for (int c = 0; c < clusters; ++c) {
      std::string name = "c" + std::to_string(c);
      home.add("Cluster", "p", name, {{"dependsOn", depends()}});
      known.push_back("Cluster/" + name);
    }
    for (int v = below(6); v > 0; --v) {
      std::string name = "v" + std::to_string(v);
      home.add("VirtualCluster", "p", name,
               {{"clusterRef", {{"name", "c" + std::to_string(below(clusters))}}},
                {"dependsOn", depends()}});
      known.push_back("VirtualCluster/" + name);
    }
    for (int x = below(6); x > 0; --x) {
      std::string name = "x" + std::to_string(x);
      home.add("Execution", "p", name, {{"dependsOn", depends()}});
      known.push_back("Execution/" + name);
    }
    // Late edges from clusters to anything: cycles and backward kinds happen.
    home.at("Cluster", "p", "c0")["spec"]["dependsOn"].push_back(known[random() % known.size()]);
    Graph graph = home.graph();
    Mode mode = below(2) == 0 ? Mode::align : Mode::remove;
    Plan plan(graph, graph.roots(), mode);
    std::vector<NodeId> running;
    std::map<NodeId, int> started, ended;
    std::map<NodeId, bool> good;
    int time = 0;
    while (true) {
      std::optional<NodeId> next;
      if (running.size() < 3) {
        next = plan.next();
      }
      if (next) {
        started[*next] = ++time;
        running.push_back(*next);
        continue;
      }
      if (running.empty()) {
        break;
      }
      auto pick = random() % running.size();
      NodeId id = running[pick];
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(pick));
      bool fine = below(8) != 0;
      good[id] = fine;
      ended[id] = ++time;
      plan.finish(id, fine ? Verdict{} : k_failed);
    }
    REQUIRE(plan.finished());
    for (const Node& node : graph.nodes()) {
      bool ran = started.contains(node.id);
      CHECK(is_final(plan.state(node.id)));
      if (mode == Mode::align && ran) {
        std::vector<NodeId> needs = node.waits_for;
        if (node.parent != k_no_node) {
          needs.push_back(node.parent);
        }
        for (NodeId need : needs) {
          CHECK(good[need]);
          CHECK(ended[need] < started[node.id]);
        }
      }
      if (mode == Mode::align && !ran) {
        bool excused = node.problem.has_value();
        for (NodeId need : node.waits_for) {
          excused = excused || !good[need];
        }
        excused = excused || (node.parent != k_no_node && !good[node.parent]);
        CHECK(excused);
      }
      if (mode == Mode::remove && ran) {
        for (NodeId child : node.children) {
          CHECK(good[child]);
          CHECK(ended[child] < started[node.id]);
        }
      }
      if (mode == Mode::remove && !has_cycle(graph) && !ran) {
        bool excused = false;
        for (NodeId need : node.children) {
          excused = excused || !good[need];
        }
        for (NodeId need : node.waited_by) {
          excused = excused || !good[need];
        }
        CHECK(excused);
      }
    }
  }
}
