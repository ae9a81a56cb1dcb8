// What a run leaves behind: statuses, the report, and what the observer hears.
#include <doctest/doctest.h>

#include "fakes.hpp"

using namespace kubist::engine;
using namespace kubist::engine::testing;
using kubist::util::ErrorKind;
using kubist::util::make_error;
using namespace std::chrono_literals;

TEST_CASE("runner: a subtree alone also corrects TreeReady above it") {
  World world;
  world.add_tree();
  world.run();
  world.executor->faults["p1c1v1"] = make_error(ErrorKind::invalid, "wrong");
  Graph graph = world.home.graph();
  NodeId id = graph.find(key("VirtualCluster", "p1", "p1c1v1")).front();
  world.executor->log.clear();
  Report report = world.run(graph, {id});
  CHECK(report.nodes.size() == 1);
  CHECK(world.executor->count("align p1") == 0);
  CHECK(world.condition("Root", "", "root", "TreeReady") == "False NotReady");
  CHECK(world.condition("Root", "", "root", "Ready") == "True Aligned");
}

TEST_CASE("runner: what a run beside wrote above, before what is below was written, is corrected") {
  struct Beside : FakeHome {
    kubist::util::Result<StatusWritten> change(const Node& node, const Change& change) override {
      if (node.key.name == "p1c1" && is_whole(change(status_of(node.key))) &&
          !done.exchange(true)) {
        const auto end = std::chrono::steady_clock::now() + 10s;
        for (const Key& above : {key("Project", "", "p1"), key("Root", "", "root")}) {
          while (!is_whole(status_of(above)) && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(1ms);
          }
        }
        for (const Key& above : {key("Project", "", "p1"), key("Root", "", "root")}) {
          const Json seen = with_tree_ready(status_of(above), Truth::unknown, "p1c1", 1, {});
          const std::lock_guard lock(mutex);
          objects.at(above)["status"] = seen;
        }
      }
      return FakeHome::change(node, change);
    }
    Json status_of(const Key& key) {
      const std::lock_guard lock(mutex);
      return objects.at(key).value("status", Json::object());
    }
    static bool is_whole(const Json& status) {
      const Json* found = find_condition(status, "TreeReady");
      return found != nullptr && found->value("status", "") == "True";
    }
    std::atomic<bool> done = false;
  };
  World world;
  world.add_tree();
  Beside home;
  home.objects = world.home.objects;
  const Graph graph = home.graph();
  const RunInfo info{"run-1", world.clock.now(), false};
  const RunParts parts{world.set,          home,           world.policies,
                       world.policy_world, world.observer, world.clock};
  kubist::engine::run(graph, graph.roots(), info, {}, parts, {});
  REQUIRE(home.done);
  CHECK(Beside::is_whole(home.status_of(key("Project", "", "p1"))));
  CHECK(Beside::is_whole(home.status_of(key("Root", "", "root"))));
}

TEST_CASE("runner: a status that throws when it is written is an error of its node only") {
  struct Throwing : FakeHome {
    kubist::util::Result<StatusWritten> change(const Node& node, const Change& change) override {
      if (node.key.name == "p1c1") {
        throw std::runtime_error("a bug");
      }
      return FakeHome::change(node, change);
    }
  };
  World world;
  world.add_tree();
  Throwing home;
  home.objects = world.home.objects;
  Graph graph = home.graph();
  RunInfo info{"run-1", world.clock.now(), false};
  RunParts parts{world.set, home, world.policies, world.policy_world, world.observer, world.clock};
  Report report = kubist::engine::run(graph, graph.roots(), info, {}, parts, {});
  CHECK(report.summary.failed == 1);
  CHECK(World::node(report, "p1c1").message.find("a bug") != std::string::npos);
  CHECK(World::node(report, "p2c1v1").ready);
}

TEST_CASE("runner: a dry run computes statuses and writes none") {
  World world;
  world.add_tree();
  const Graph graph = world.home.graph();
  const RunInfo info{"run-1", world.clock.now(), true};
  const RunParts parts{world.set,          world.home,     world.policies,
                       world.policy_world, world.observer, world.clock};
  const Report report = kubist::engine::run(graph, graph.roots(), info, {}, parts, {});
  CHECK(World::node(report, "p1c1").ready);
  CHECK(world.home.writes == 0);
}

TEST_CASE("runner: writes make a new lastRun even where nothing else changed") {
  World world;
  world.add_tree();
  world.run();
  Alignment wrote;
  wrote.writes.push_back({"apply", "v1 Namespace/x", "", ""});
  world.executor->scripts["p1c1"] = {wrote};
  Report report = world.run();
  CHECK(report.summary.writes == 2);
  CHECK(world.home.at("Cluster", "p1", "p1c1")["status"]["lastRun"]["id"] == "run-2");
}

TEST_CASE("runner: what was asked of a subtree is answered once that has ended, in one write") {
  World world;
  world.add_tree();
  world.run();
  Alignment asked;
  asked.handled_request = HandledRequest{"reconcile@1", "Done", "reconciled", true};
  SUBCASE("ready") {
    bool early = false;
    world.executor->on_align = [&](const Node& node, const Context&) {
      const std::lock_guard lock(world.home.mutex);
      early =
          early || (node.key.name == "p1c1v1" &&
                    world.home.at("Cluster", "p1", "p1c1")["status"].contains("handledRequest"));
    };
    world.executor->scripts["p1c1"] = {asked};
    world.home.writes = 0;
    world.run();
    CHECK_FALSE(early);
    CHECK(world.home.writes == 1);
  }
  SUBCASE("and at once where nothing below is run") {
    asked.outcome = Outcome::stalled;
    asked.reason = "Broken";
    world.executor->scripts["p1c1"] = {asked};
    world.run();
  }
  CHECK(world.home.at("Cluster", "p1", "p1c1")["status"]["handledRequest"]["request"] ==
        "reconcile@1");
}

TEST_CASE("runner: a status says why the run looked, what it wrote, and the kind of its error") {
  World world;
  world.add_tree();
  Alignment wrote;
  wrote.writes = {{"apply", "v1 ConfigMap/p1/web", "eu", "data change"}};
  world.executor->scripts["p1c1v1"] = {wrote};
  world.executor->faults["p2c1"] = make_error(ErrorKind::denied, "no");
  world.cause = "asked for by me";
  world.causes = {{key("Cluster", "p1", "p1c1"), "drift"}};
  world.run();
  const Json below = world.home.at("VirtualCluster", "p1", "p1c1v1")["status"]["lastRun"];
  CHECK(below["cause"] == "drift");
  CHECK(below["writes"] == Json::array({"apply v1 ConfigMap/p1/web on eu: data change"}));
  const Json other = world.home.at("Cluster", "p2", "p2c1")["status"]["lastRun"];
  CHECK(other["cause"] == "asked for by me");
  CHECK(other["error"] == "denied");
}

TEST_CASE("runner: a run that began for drift says that it answers a request") {
  World world;
  world.add_tree();
  world.causes = {{key("VirtualCluster", "p1", "p1c1v1"), "drift"}};
  Alignment asked;
  asked.handled_request = HandledRequest{"reconcile@1", "Done", "reconciled", true};
  world.executor->scripts["p1c1v1"] = {asked};
  world.run();
  const Json run = world.home.at("VirtualCluster", "p1", "p1c1v1")["status"]["lastRun"];
  CHECK(run["cause"] == "requested (reconcile@1)");
}

TEST_CASE("runner: the report's JSON form is one record with the tree in it") {
  World world;
  world.add_tree();
  world.executor->faults["p1c1"] = make_error(ErrorKind::invalid, "wrong");
  Json json = to_json(world.run());
  CHECK(json["run"]["id"] == "run-1");
  CHECK(json["summary"]["failed"] == 1);
  REQUIRE(json["nodes"].size() == 1);
  CHECK(json["nodes"][0]["name"] == "root");
  CHECK(json["nodes"][0]["children"].size() == 2);
  CHECK(json["nodes"][0]["children"][0]["children"][0]["error"]["message"] == "wrong");
}

TEST_CASE("runner: the observer hears every node end exactly once") {
  struct Counting : Observer {
    void finished(const Node& node, const NodeReport& /*report*/) override {
      ++ended[node.key.name];
    }
    void started(const Node& /*node*/, Mode /*mode*/) override { ++starts; }
    void summary(const Report& report) override { nodes = report.nodes.size(); }
    std::map<std::string, int> ended;
    int starts = 0;
    std::size_t nodes = 0;
  };
  World world;
  world.add_tree();
  world.executor->faults["p1c1"] = make_error(ErrorKind::invalid, "wrong");
  Counting counting;
  Graph graph = world.home.graph();
  RunInfo info{"r", world.clock.now(), false};
  RunParts parts{world.set, world.home, world.policies, world.policy_world, counting, world.clock};
  run(graph, graph.roots(), info, {}, parts, {});
  CHECK(counting.nodes == 15);
  CHECK(counting.ended.size() == 15);
  CHECK(counting.starts == 13);
  for (const auto& [name, times] : counting.ended) {
    CHECK(times == 1);
  }
}
