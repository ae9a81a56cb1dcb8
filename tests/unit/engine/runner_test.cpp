#include <doctest/doctest.h>

#include "fakes.hpp"

using namespace kubist::engine;
using namespace kubist::engine::testing;
using kubist::util::ErrorKind;
using kubist::util::make_error;
using namespace std::chrono_literals;

TEST_CASE("runner: a whole tree becomes Ready, the second run writes nothing") {
  World world;
  world.add_tree();
  Report first = world.run();
  CHECK(first.summary.nodes == 15);
  CHECK(first.summary.ready == 15);
  CHECK(first.summary.failed == 0);
  for (const auto& [key, object] : world.home.objects) {
    CHECK(object["status"]["observedGeneration"] == 1);
    CHECK(find_condition(object["status"], "Ready")->at("status") == "True");
    CHECK(find_condition(object["status"], "TreeReady")->at("status") == "True");
    CHECK(find_condition(object["status"], "Stalled")->at("status") == "False");
    CHECK(object["status"]["lastRun"]["id"] == "run-1");
  }
  world.home.writes = 0;
  world.clock.advance(1h);
  Report second = world.run();
  CHECK(world.home.writes == 0);
  CHECK(second.summary.writes == 0);
  CHECK(second.summary.ready == 15);
}

TEST_CASE("runner: what an executor says follows a node runs after it, also where it fails") {
  World world;
  world.add_tree();
  world.executor->followed_by["p1c2v2"] = {key("VirtualCluster", "p1", "p1c1v1")};
  world.executor->faults["p1c2v2"] = make_error(ErrorKind::unavailable, "no route to host");
  const Report report = world.run();
  CHECK(report.summary.ready == 14);
  CHECK(world.executor->place("align p1c1v1") > world.executor->place("end p1c2v2"));
  CHECK(world.executor->place("end p1c2v2") >= 0);
}

TEST_CASE("runner: a failed node stops its own subtree only") {
  World world;
  world.add_tree();
  auto unreachable = make_error(ErrorKind::unavailable, "GET https://c1/version: no route to host");
  world.executor->faults["p1c1"] = unreachable;
  Report report = world.run();
  CHECK(report.summary.failed == 1);
  CHECK(report.summary.blocked == 2);
  CHECK(report.summary.ready == 12);
  CHECK(world.executor->place("align p1c1v1") == -1);
  CHECK(world.executor->place("align p1c2v1") >= 0);
  const NodeReport& node = World::node(report, "p1c1");
  CHECK(node.outcome == Outcome::failed);
  CHECK(node.requeue_after.has_value());
  CHECK(world.condition("Cluster", "p1", "p1c1", "Ready") == "False Unavailable");
  CHECK(world.condition("Cluster", "p1", "p1c1", "Reconciling") == "True Unavailable");
  CHECK(world.condition("Cluster", "p1", "p1c1", "Stalled") == "False Unavailable");
  CHECK(world.home.at("Cluster", "p1", "p1c1")["status"]["failures"] == 1);
  CHECK(world.home.at("Cluster", "p1", "p1c1")["status"].contains("nextRunAt"));
  CHECK(world.condition("VirtualCluster", "p1", "p1c1v1", "Ready") == "Unknown ParentNotReady");
  CHECK(world.condition("Project", "", "p1", "Ready") == "True Aligned");
  CHECK(world.condition("Project", "", "p1", "TreeReady") == "False NotReady");
  CHECK(world.condition("Project", "", "p2", "TreeReady") == "True TreeReady");
  CHECK(world.condition("Root", "", "root", "TreeReady") == "False NotReady");

  world.executor->faults.clear();
  world.run();
  CHECK(world.condition("Root", "", "root", "TreeReady") == "True TreeReady");
  CHECK_FALSE(world.home.at("Cluster", "p1", "p1c1")["status"].contains("failures"));
}

TEST_CASE("runner: forbidden and wrong input are Stalled, and stay without further writes") {
  World world;
  world.add_tree();
  auto forbidden = make_error(ErrorKind::forbidden, "GET namespaces: forbidden");
  forbidden.http_status = 403;
  world.executor->faults["p1c1"] = forbidden;
  world.run();
  CHECK(world.condition("Cluster", "p1", "p1c1", "Stalled") == "True Forbidden");
  CHECK(world.condition("Cluster", "p1", "p1c1", "Reconciling") == "False Forbidden");
  world.home.writes = 0;
  world.run();
  CHECK(world.home.writes == 0);
}

TEST_CASE("runner: expired credentials may mend, missing rights do not") {
  auto error = make_error(ErrorKind::forbidden, "no");
  error.http_status = 401;
  CHECK(alignment_of(error).outcome == Outcome::failed);
  CHECK(alignment_of(error).reason == "Unauthorized");
  error.http_status = 403;
  CHECK(alignment_of(error).outcome == Outcome::stalled);
  CHECK(alignment_of(make_error(ErrorKind::timeout, "x")).outcome == Outcome::failed);
  CHECK(alignment_of(make_error(ErrorKind::invalid, "x")).reason == "InvalidSpec");
  CHECK(alignment_of(make_error(ErrorKind::conflict, "x")).error->kind == ErrorKind::conflict);
}

TEST_CASE("runner: a missing parent stalls the node, the rest goes on") {
  World world;
  world.add_tree();
  world.home.add("VirtualCluster", "p1", "lost", {{"clusterRef", {{"name", "nowhere"}}}});
  Report report = world.run();
  CHECK(report.summary.ready == 15);
  CHECK(report.summary.failed == 1);
  CHECK(world.condition("VirtualCluster", "p1", "lost", "Stalled") == "True ParentNotFound");
  CHECK(world.executor->place("align lost") == -1);
}

TEST_CASE("runner: suspended nodes get no call and no write") {
  World world;
  world.add_tree();
  world.home.at("Cluster", "p1", "p1c1")["spec"]["suspend"] = true;
  Report report = world.run();
  CHECK(report.summary.suspended == 3);
  CHECK(world.executor->place("align p1c1") == -1);
  CHECK_FALSE(world.home.changed.contains("p1c1"));
  CHECK_FALSE(world.home.changed.contains("p1c1v1"));
}

TEST_CASE("runner: parallelism is a bound, and is used") {
  World world;
  world.add_tree();
  world.executor->delay = 5ms;
  RunOptions options;
  options.parallelism = 3;
  world.run(options);
  CHECK(world.executor->max_running <= 4);  // one more of a project that has none
  CHECK(world.executor->max_running >= 2);
}

TEST_CASE("runner: a stop finishes what runs and reports what was not done") {
  World world;
  world.add_tree();
  std::stop_source source;
  world.executor->on_align = [&](const Node& node, const Context&) {
    if (node.key.name == "p1") {
      source.request_stop();
    }
  };
  RunOptions options;
  options.parallelism = 1;
  Report report = world.run(options, source.get_token());
  CHECK(report.stopped);
  CHECK(World::node(report, "p1").state == NodeState::done);
  CHECK(world.home.changed.contains("p1"));
  CHECK(World::node(report, "p2c1").state == NodeState::skipped);
  CHECK(World::node(report, "p2c1").reason == "Cancelled");
  CHECK(report.summary.not_started >= 12);
  CHECK_FALSE(world.home.changed.contains("p2c1"));
  CHECK(world.home.writes ==
        2);  // root and p1, when they ended; no TreeReady of an unfinished tree
}

TEST_CASE("runner: an executor that a stop cut short leaves its status as it was") {
  World world;
  world.add_tree();
  std::stop_source source;
  world.executor->on_align = [&](const Node& node, const Context&) {
    if (node.key.name == "p1c1") {
      source.request_stop();
    }
  };
  world.executor->faults["p1c1"] = make_error(ErrorKind::cancelled, "interrupted");
  Report report = world.run({}, source.get_token());
  CHECK(World::node(report, "p1c1").state == NodeState::skipped);
  CHECK_FALSE(world.home.changed.contains("p1c1"));
}

TEST_CASE(
    "runner: what fails after a stop is no failure, whatever it says; what waits is written") {
  World world;
  world.add_tree();
  std::stop_source source;
  world.executor->on_align = [&](const Node& node, const Context&) {
    if (node.key.name == "p1c1") {
      source.request_stop();
    }
  };
  Alignment end;
  end.reason = "ItemFailed";
  end.message = "item make: GET /x: cancelled";
  end.writes = {{"apply", "v1 Secret/x", "", ""}};
  SUBCASE("failed") { end.outcome = Outcome::failed; }
  SUBCASE("stalled") { end.outcome = Outcome::stalled; }
  SUBCASE("progressing") {
    end.outcome = Outcome::progressing;
    end.message = "item make: its pod runs";
  }
  const bool waits = end.outcome == Outcome::progressing;
  world.executor->scripts["p1c1"] = {end};
  Report report = world.run({}, source.get_token());
  CHECK(report.stopped);
  CHECK(World::node(report, "p1c1").state == (waits ? NodeState::done : NodeState::skipped));
  CHECK(World::node(report, "p1c1").reason == (waits ? "ItemFailed" : "Cancelled"));
  CHECK(World::node(report, "p1c1").writes.size() == 1);  // they were made
  CHECK(world.home.changed.contains("p1c1") == waits);
}

TEST_CASE("runner: a progressing node is looked at again within the settle time") {
  World world;
  world.add_tree();
  Alignment wait;
  wait.outcome = Outcome::progressing;
  wait.reason = "Waiting";
  wait.requeue_after = 1ms;
  world.executor->scripts["p1c1"] = {wait, wait, wait, Alignment{}};
  SUBCASE("settling") {
    RunOptions options;
    options.settle = 20s;
    Report report = world.run(options);
    CHECK(world.executor->count("align p1c1") == 4);
    CHECK(report.summary.ready == 15);
  }
  SUBCASE("not settling: children wait for the next run") {
    Report report = world.run();
    CHECK(world.executor->count("align p1c1") == 1);
    CHECK(report.summary.not_ready == 1);
    CHECK(report.summary.blocked == 2);
    CHECK(World::node(report, "p1c1").requeue_after == 1ms);
    CHECK(world.condition("Cluster", "p1", "p1c1", "Reconciling") == "True Waiting");
  }
  SUBCASE("the settle time ends") {
    world.executor->scripts["p1c1"] = {wait};
    RunOptions options;
    options.settle = 300ms;  // ThreadSanitizer needs 20 for the first look
    Report report = world.run(options);
    CHECK(world.executor->count("align p1c1") >= 2);
    CHECK(report.summary.not_ready == 1);
  }
}

TEST_CASE("runner: an executor may let children start before it is Ready") {
  World world;
  world.add_tree();
  Alignment early;
  early.outcome = Outcome::progressing;
  early.reason = "Waiting";
  early.children = true;
  RunOptions options;
  SUBCASE("it is not looked at again") {}
  SUBCASE("it is stalled") { early.outcome = Outcome::stalled; }
  SUBCASE("they do not wait until it is looked at for the last time") {
    early.requeue_after = 1ms;
    options.settle = 300ms;
  }
  world.executor->scripts["p1c1"] = {early};
  Report report = world.run(options);
  CHECK(World::node(report, "p1c1v1").ready);
  CHECK_FALSE(World::node(report, "p1c1").ready);
  CHECK(world.condition("Project", "", "p1", "TreeReady") == "False NotReady");
  if (early.requeue_after) {
    const auto& log = world.executor->log;
    const auto child = std::find(log.begin(), log.end(), "align p1c1v1");
    CHECK(std::find(child, log.end(), "align p1c1") != log.end());
  }
}

TEST_CASE("runner: deletion runs backwards and asks again while something is under way") {
  World world;
  world.add_tree();
  world.run();
  world.executor->log.clear();
  world.home.at("Project", "", "p1")["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  world.executor->removals["p1c1"] = 2;
  RunOptions options;
  options.settle = 20s;
  Report report = world.run(options);
  CHECK(report.summary.removed == 7);
  CHECK(world.executor->count("remove p1c1") == 3);
  CHECK(world.executor->place("remove p1c1v1") < world.executor->place("remove p1c1"));
  CHECK(world.executor->place("remove p1c1") < world.executor->place("remove p1"));
  CHECK(world.executor->place("align p2") >= 0);
  CHECK(world.executor->place("align p1") == -1);
}

TEST_CASE("runner: a removal that fails keeps what stands above and says so") {
  World world;
  world.add_tree();
  world.run();
  world.home.at("Project", "", "p1")["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  world.executor->faults["p1c1v1"] = make_error(ErrorKind::unavailable, "unreachable");
  Report report = world.run();
  CHECK(World::node(report, "p1c1v1").state == NodeState::failed);
  CHECK(World::node(report, "p1c1").reason == "ChildrenRemain");
  CHECK(World::node(report, "p1").state == NodeState::blocked);
  CHECK(World::node(report, "p1c2").ready);
  CHECK(world.condition("VirtualCluster", "p1", "p1c1v1", "Ready") == "False Unavailable");
  CHECK(world.condition("Project", "", "p1", "Ready") == "False ChildrenRemain");
}

TEST_CASE("runner: an unknown executor stalls the node with a suggestion") {
  World world;
  world.add_tree();
  world.home.at("Cluster", "p1", "p1c1")["spec"]["executor"] = {{"name", "Defalt"}};
  Report report = world.run();
  CHECK(world.condition("Cluster", "p1", "p1c1", "Stalled") == "True UnknownExecutor");
  CHECK(World::node(report, "p1c1").message.find("did you mean") != std::string::npos);
  world.home.at("Cluster", "p1", "p1c1")["spec"]["executor"] = {{"name", "standard"}};
  CHECK(world.run().summary.ready == 15);
}

TEST_CASE("runner: an exception out of an executor fails its node only") {
  World world;
  world.add_tree();
  world.executor->on_align = [](const Node& node, const Context&) {
    if (node.key.name == "p1c1") {
      throw std::runtime_error("a bug");
    }
  };
  Report report = world.run();
  CHECK(report.summary.failed == 1);
  CHECK(World::node(report, "p1c1").message.find("a bug") != std::string::npos);
}

TEST_CASE("runner: a node that cannot be read is neither aligned nor removed, and others go on") {
  World world;
  world.add_tree();
  const auto run = [&] {
    std::vector<Node> nodes;
    for (const auto& [name, object] : world.home.objects) {
      Node& node = nodes.emplace_back(make_node(object));
      if (node.key.name == "p1c1v1") {
        node.make_unreadable(
            make_error(ErrorKind::invalid, "nested deeper than 500 levels", "", "Unreadable"));
      }
    }
    const Graph graph = Graph::build(std::move(nodes));
    return world.run(graph, graph.roots());
  };
  Report report = run();
  CHECK(report.summary.failed == 1);
  CHECK(World::node(report, "p1c1v1").reason == "Unreadable");
  CHECK(World::node(report, "p1c1v1").message == "nested deeper than 500 levels");
  CHECK(World::node(report, "p1c1v2").ready);
  CHECK(world.executor->count("align p1c1v1") == 0);
  CHECK_FALSE(world.home.at("VirtualCluster", "p1", "p1c1v1").contains("status"));

  for (auto& [name, object] : world.home.objects) {
    object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  }
  report = run();
  CHECK(world.executor->count("remove p1c1v1") == 0);
  CHECK(world.executor->count("remove p1c1v2") == 1);
  CHECK(world.executor->count("remove p1c1") == 0);
  CHECK(world.executor->count("remove p2c1") == 1);
  CHECK(World::node(report, "p1c1v1").reason == "Unreadable");
  CHECK(World::node(report, "p1c1").reason == "ChildrenRemain");
}
