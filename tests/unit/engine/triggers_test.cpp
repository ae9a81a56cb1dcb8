#include <set>
#include <string>

#include <doctest/doctest.h>

#include <kubist/engine/triggers.hpp>

#include "fakes.hpp"

using namespace kubist::engine;
using namespace kubist::engine::testing;
using namespace std::chrono_literals;

namespace {
const Schedule::Time k_scheduled_from{1000s};
}

TEST_CASE("triggers: our own status writes wake nobody, changes of the spec do") {
  Json before = make_object("Cluster", "p", "c");
  Json after = before;
  after["status"]["observedGeneration"] = 1;
  after["metadata"]["resourceVersion"] = "2";
  CHECK_FALSE(cause_of(&before, &after));
  after["metadata"]["generation"] = 2;
  CHECK(cause_of(&before, &after) == Cause::changed);
  after = before;
  after["metadata"]["annotations"]["kubist.io/request"] = "reconcile@1";
  CHECK(cause_of(&before, &after) == Cause::requested);
  after = before;
  after["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  CHECK(cause_of(&before, &after) == Cause::deleted);
  CHECK(cause_of(nullptr, &after) == Cause::created);
  CHECK(cause_of(&before, nullptr) == Cause::deleted);
}

TEST_CASE("triggers: the schedule coalesces, keeps the earliest and covers subtrees") {
  World world;
  world.add_tree();
  Graph graph = world.home.graph();
  Key cluster = key("Cluster", "p1", "p1c1");
  Key below = key("VirtualCluster", "p1", "p1c1v1");
  Key other = key("Cluster", "p2", "p2c1");
  Schedule schedule;
  schedule.add(cluster, k_scheduled_from + 5s, Cause::due);
  schedule.add(cluster, k_scheduled_from + 1s, Cause::changed);
  schedule.add(cluster, k_scheduled_from + 9s, Cause::retry);
  schedule.add(below, k_scheduled_from + 1s, Cause::drift);
  schedule.add(other, k_scheduled_from + 60s, Cause::due);
  CHECK(schedule.size() == 3);
  CHECK(schedule.next() == k_scheduled_from + 1s);
  CHECK(schedule.take_due(k_scheduled_from, graph).empty());
  auto due = schedule.take_due(k_scheduled_from + 2s, graph);
  REQUIRE(due.size() == 1);
  CHECK(due[0].key == cluster);
  CHECK(due[0].cause == Cause::changed);
  CHECK(schedule.next() == k_scheduled_from + 60s);
  due = schedule.take_due(k_scheduled_from + 60s, graph);
  REQUIRE(due.size() == 1);
  CHECK(due[0].key == other);
  CHECK_FALSE(schedule.next());
}

TEST_CASE("triggers: a person's word is the cause, though drift or a retry comes earlier") {
  World world;
  world.add_tree();
  const Graph graph = world.home.graph();
  const Key cluster = key("Cluster", "p1", "p1c1");
  struct Pair {
    Cause weightier, earlier;
  };
  for (const Pair& pair :
       {Pair{Cause::requested, Cause::retry}, Pair{Cause::requested, Cause::drift},
        Pair{Cause::changed, Cause::drift}, Pair{Cause::drift, Cause::due}}) {
    for (const bool first : {true, false}) {
      Schedule schedule;
      const auto ask = [&] { schedule.add(cluster, k_scheduled_from + 2s, pair.weightier); };
      if (first) {
        ask();
      }
      schedule.add(cluster, k_scheduled_from + 1s, pair.earlier);
      if (!first) {
        ask();
      }
      const auto due = schedule.take_due(k_scheduled_from + 1s, graph);
      REQUIRE(due.size() == 1);
      CHECK(due[0].cause == pair.weightier);
    }
  }
}

TEST_CASE("triggers: a finished run asks for what is due, retries and those who waited") {
  World world;
  world.add_tree();
  world.home.add("Execution", "p1", "late", {{"dependsOn", {"Execution/early"}}});
  world.home.add("Execution", "p1", "early");
  Alignment wait;
  wait.outcome = Outcome::progressing;
  wait.reason = "Waiting";
  wait.requeue_after = 30s;
  world.executor->scripts["early"] = {wait};
  world.executor->faults["p1c1"] =
      kubist::util::make_error(kubist::util::ErrorKind::unavailable, "no route");
  Schedule schedule;
  Graph graph = world.home.graph();
  schedule_from(schedule, world.run(graph, graph.roots()), graph, k_scheduled_from);
  CHECK(schedule.size() == 2);
  CHECK(schedule.next() <= k_scheduled_from + 1s);
  world.executor->scripts.clear();
  Schedule later;
  Graph after = world.home.graph();
  schedule_from(later, world.run(after, after.find(key("Execution", "p1", "early"))), after,
                k_scheduled_from);
  REQUIRE(later.size() == 1);
  CHECK(later.take_due(k_scheduled_from, after)[0].key.name == "late");
}

TEST_CASE("triggers: what waits for others to be gone hears when the last one is") {
  World world;
  world.add_tree();
  world.home.add("Execution", "p2", "first");
  world.home.add("Execution", "p2", "last", {{"dependsOn", {"Execution/first"}}});
  for (const Key& asked : {key("Project", "", "p1"), key("Execution", "p2", "first"),
                           key("Execution", "p2", "last")}) {
    world.home.objects.at(asked)["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  }
  const Graph graph = world.home.graph();
  const auto woken_by = [&](const Key& gone) {
    Schedule schedule;
    schedule_from(schedule, world.run(graph, graph.find(gone)), graph, k_scheduled_from);
    std::set<std::string> names;
    for (const auto& due : schedule.take_due(k_scheduled_from, graph)) {
      names.insert(due.key.name);
    }
    return names;
  };
  CHECK(woken_by(key("VirtualCluster", "p1", "p1c1v1")) == std::set<std::string>{"p1c1"});
  CHECK(woken_by(key("Execution", "p2", "last")) == std::set<std::string>{"first"});
  // Nobody above it goes.
  CHECK(woken_by(key("Project", "", "p1")).empty());
  world.executor->removals["p1c1v2"] = 1;
  CHECK(woken_by(key("VirtualCluster", "p1", "p1c1v2")).empty());  // it is not gone yet
}

TEST_CASE("triggers: what is gone is its parent's business") {
  World world;
  world.add_tree();
  Graph graph = world.home.graph();
  auto keys = affected(graph, key("Cluster", "p1", "p1c1"), Cause::deleted);
  REQUIRE(keys.size() == 1);
  CHECK(keys[0].name == "p1");
  CHECK(affected(graph, key("Cluster", "p1", "p1c1"), Cause::changed)[0].name == "p1c1");
  // Where nothing stands above it, nobody else is to notice.
  keys = affected(graph, key("Root", "", "root"), Cause::deleted);
  REQUIRE(keys.size() == 1);
  CHECK(keys[0].name == "root");
}

TEST_CASE("triggers: a policy's definition is the business of those that name it") {
  World world;
  world.add_tree();
  const Json named{{"policies", Json::array({{{"name", "own"}}})}};
  world.home.add("Execution", "p1", "user", named);
  world.home.add("Execution", "p2", "other", named);
  world.home.add("Execution", "p1", "nobody");
  const Graph graph = world.home.graph();
  const auto of_team = affected(graph, key("PolicyDefinition", "p1", "own"), Cause::changed);
  REQUIRE(of_team.size() == 1);
  CHECK(of_team[0].name == "user");
  CHECK(affected(graph, key("ClusterPolicyDefinition", "", "own"), Cause::deleted).size() == 2);
  CHECK(affected(graph, key("PolicyDefinition", "p1", "else"), Cause::created).empty());
}

TEST_CASE("triggers: an executor's definition is the business of all but those that name another") {
  World world;
  world.add_tree();
  world.home.add("Execution", "p1", "other", {{"executor", {{"name", "else"}}}});
  const Graph graph = world.home.graph();
  const auto users = affected(graph, key("ExecutorDefinition", "", "own"), Cause::changed);
  CHECK(users.size() == graph.nodes().size() - 1);
  CHECK(std::ranges::none_of(users, [](const auto& user) { return user.name == "other"; }));
}
