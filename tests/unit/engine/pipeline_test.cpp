#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "function_policy.hpp"

using namespace kubist::engine;
using namespace kubist::engine::testing;
using kubist::util::ErrorKind;
using kubist::util::fail;

namespace {

void use(World& world, Json policies) {
  world.home.at("VirtualCluster", "p1", "p1c1v1")["spec"]["policies"] = std::move(policies);
}

const Json& status_of(World& world) {
  return world.home.at("VirtualCluster", "p1", "p1c1v1")["status"];
}

}  // namespace

TEST_CASE("pipeline: each policy works on the former's output, the spec itself stays") {
  World world;
  world.add_tree();
  add_policy(world, "A", [](Json list) { return append(std::move(list), "a"); });
  add_policy(world, "B", [](Json list) { return append(std::move(list), "b"); });
  use(world, {{{"name", "A"}}, {{"name", "B"}}, {{"name", "A"}}});
  Report report = world.run();
  CHECK(world.executor->specs["p1c1v1"]["labels"]["path"] == "aba");
  CHECK_FALSE(world.home.at("VirtualCluster", "p1", "p1c1v1")["spec"].contains("labels"));
  CHECK(status_of(world)["effective"] == Json({{"labels", {{"path", "aba"}}}}));
  CHECK(status_of(world)["policies"].size() == 3);
  CHECK(World::node(report, "p1c1v1").policies.size() == 3);
  world.home.writes = 0;
  world.run();
  CHECK(world.home.writes == 0);
  SUBCASE("policies that go away take their traces with them") {
    world.home.at("VirtualCluster", "p1", "p1c1v1")["spec"].erase("policies");
    world.run();
    CHECK_FALSE(status_of(world).contains("effective"));
    CHECK_FALSE(status_of(world).contains("policies"));
  }
}

// An API server keeps no null, and a status that had one would be written in each run.
TEST_CASE("pipeline: fields that a policy removes are no part of what the status says") {
  World world;
  world.add_tree();
  Json& spec = world.home.at("VirtualCluster", "p1", "p1c1v1")["spec"];
  spec["labels"] = {{"path", "x"}, {"tier", "dev"}};
  add_policy(world, "A", [](Json list) {
    list["items"][0]["spec"]["labels"].erase("tier");
    return append(std::move(list), "a");
  });
  use(world, {{{"name", "A"}}});
  world.run();
  CHECK(world.executor->specs["p1c1v1"]["labels"] == Json({{"path", "xa"}}));
  CHECK(status_of(world)["effective"] == Json({{"labels", {{"path", "xa"}}}}));
  world.home.writes = 0;
  world.run();
  CHECK(world.home.writes == 0);
}

TEST_CASE("pipeline: nodes go through one definition together") {
  World world;
  world.add_tree();
  auto runtime = add_policy(world, "A", [](Json list) { return list; });
  for (std::string name : {"p1c1v1", "p1c1v2", "p1c2v1", "p1c2v2"}) {
    world.home.at("VirtualCluster", "p1", name)["spec"]["policies"] = {{{"name", "A"}}};
  }
  Graph graph = world.home.graph();
  std::vector<NodeId> nodes;
  for (const Node& node : graph.nodes()) {
    nodes.push_back(node.id);
  }
  RunInfo info{"r", {}, false};
  auto verdicts = run_policies(graph, nodes, world.policies, world.policy_world, info, {}, {});
  CHECK(verdicts.size() == nodes.size());
  CHECK(runtime->batches == std::vector<std::size_t>{4});
}

TEST_CASE("pipeline: a large object on many targets is not there once for each") {
  World world;
  world.home.add("Project", "", "p1");
  world.home.add("Cluster", "p1", "c1");
  constexpr std::size_t k_targets = 200;
  for (std::size_t i = 0; i < k_targets; ++i) {
    world.home.add("VirtualCluster", "p1", "v" + std::to_string(i),
                   {{"clusterRef", {{"name", "c1"}}}});
  }
  Json& route = world.home.add("TrafficRoute", "p1", "large",
                               {{"virtualClusterSelector", Json::object()},
                                {"hosts", {"example.com"}},
                                {"routes", {{{"weights", {{{"destination", "web"}}}}}}},
                                {"policies", {{{"name", "Same"}}, {{"name", "Hosts"}}}}});
  route["metadata"]["annotations"]["text"] = std::string(std::size_t{1} << 20U, 'x');
  const auto same = add_policy(world, "Same", [](Json list) { return list; });
  add_policy(world, "Hosts", [](Json list) {
    list["items"][0]["spec"]["hosts"] = {"shop.example.com"};
    return list;
  });
  const Graph graph = world.home.graph();
  const auto nodes = graph.find(key("TrafficRoute", "p1", "large"));
  REQUIRE(nodes.size() == k_targets);
  const auto verdicts =
      run_policies(graph, nodes, world.policies, world.policy_world, {"r", {}, false}, {}, {});
  // 64 MiB of inputs at the same time, and not 200.
  CHECK(std::accumulate(same->batches.begin(), same->batches.end(), std::size_t{0}) == k_targets);
  CHECK(*std::max_element(same->batches.begin(), same->batches.end()) <= 64);
  for (const PolicyVerdict& verdict : verdicts) {
    REQUIRE_MESSAGE(!verdict.error, verdict.error->message);
    CHECK(verdict.changed);
    CHECK(verdict.spec == verdicts[0].spec);  // one for all, not equal ones
  }
  CHECK((*verdicts[0].spec)["hosts"][0] == "shop.example.com");
}

TEST_CASE("pipeline: what policies leave as it is stays the object's own") {
  World world;
  world.add_tree();
  add_policy(world, "Same", [](Json list) { return list; });
  use(world, {{{"name", "Same"}}});
  const Graph graph = world.home.graph();
  const auto nodes = graph.find(key("VirtualCluster", "p1", "p1c1v1"));
  const auto verdicts =
      run_policies(graph, nodes, world.policies, world.policy_world, {"r", {}, false}, {}, {});
  CHECK_FALSE(verdicts[0].changed);
  CHECK(verdicts[0].spec.get() == &graph[nodes[0]].spec());
}

TEST_CASE("pipeline: a failing policy fails its node and nothing else") {
  World world;
  world.add_tree();
  add_policy(world, "A", [](Json list) { return append(std::move(list), "a"); });
  add_policy(world, "Bad", [](Json) -> kubist::util::Result<Json> {
    return fail(ErrorKind::invalid, "RUNTIME ERROR: no such field");
  });
  use(world, {{{"name", "A"}}, {{"name", "Bad"}}, {{"name", "A"}}});
  Report report = world.run();
  CHECK(report.summary.ready == 14);
  CHECK(world.executor->place("align p1c1v1") == -1);
  CHECK(world.condition("VirtualCluster", "p1", "p1c1v1", "Stalled") == "True PolicyFailed");
  CHECK(World::node(report, "p1c1v1").message == "policy Bad: RUNTIME ERROR: no such field");
  CHECK(status_of(world)["policies"][1]["outcome"] == "Failed");
  CHECK(World::node(report, "p1c1v1").policies.size() == 2);
}

TEST_CASE("pipeline: where standing still does harm, a failing policy is a hold") {
  World world;
  world.add_tree();
  world.executor->without_policies = true;
  bool fails = false;
  std::string said;  // by the policy before it
  add_policy(world, "First", [&](Json list) {
    if (!said.empty()) {
      list["functionConfig"]["status"]["decision"] = said;
    }
    return append(std::move(list), "a");
  });
  add_policy(world, "Second", [&](Json list) -> kubist::util::Result<Json> {
    return fails ? fail(ErrorKind::invalid, "RUNTIME ERROR: no such field")
                 : kubist::util::Result<Json>(append(std::move(list), "b"));
  });
  use(world, {{{"name", "First"}}, {{"name", "Second"}}});
  world.run();
  CHECK(world.executor->specs["p1c1v1"]["labels"]["path"] == "ab");
  fails = true;
  for (const auto& [before, action] :
       std::map<std::string, Action>{{"", Action::hold},
                                     {"advance", Action::hold},
                                     {"pause", Action::pause},
                                     {"rollback", Action::rollback}}) {
    CAPTURE(before);
    said = before;
    world.run();
    CHECK(world.executor->specs["p1c1v1"]["labels"]["path"] == "ab");
    const auto& decision = world.executor->decisions["p1c1v1"];
    REQUIRE(decision);
    CHECK(decision->action == action);
  }
  CHECK(status_of(world)["effective"]["labels"]["path"] == "ab");
}

TEST_CASE("pipeline: rubbish is refused, each with its rule") {
  struct Case {
    Function function;
    std::string text;
  };
  std::vector<Case> cases{
      {[](Json) { return Json("hello"); }, "did not return a ResourceList"},
      {[](Json list) {
         list["items"] = Json::array();
         return list;
       },
       "no items"},
      {[](Json list) {
         list["items"][0]["metadata"]["name"] = "x";
         return list;
       },
       "items[0].metadata"},
      {[](Json list) {
         list["items"][0]["spec"] = 3;
         return list;
       },
       "spec must be a map"},
      {[](Json list) {
         list["items"][0]["spec"]["labls"] = Json::object();
         return list;
       },
       "does not take"},
      {[](Json list) {
         list["items"].push_back({{"kind", "Pod"}});
         return list;
       },
       "cannot add objects"},
      {[](Json list) {
         list["results"] = {{{"severity", "loud"}}};
         return list;
       },
       "unknown severity"},
      {[](Json list) {
         list["functionConfig"]["status"]["state"] = std::string(20000, 'x');
         return list;
       },
       "more than 16384"},
      {[](Json list) {
         list["functionConfig"]["status"]["requeueAfter"] = "soon";
         return list;
       },
       "requeueAfter"},
      {[](Json list) {
         list["results"] = {{{"severity", "error"}, {"message", "not on a Friday"}}};
         return list;
       },
       "not on a Friday"},
  };
  for (Case& one : cases) {
    World world;
    world.add_tree();
    add_policy(world, "Bad", one.function);
    use(world, {{{"name", "Bad"}}});
    Report report = world.run();
    CHECK(World::node(report, "p1c1v1").outcome == Outcome::stalled);
    CHECK_MESSAGE(World::node(report, "p1c1v1").message.find(one.text) != std::string::npos,
                  World::node(report, "p1c1v1").message);
  }
}

TEST_CASE("pipeline: state comes back, silence keeps it") {
  World world;
  world.add_tree();
  int calls = 0;
  Json seen;
  add_policy(world, "Counting", [&](Json list) {
    seen = list["functionConfig"].value("state", Json());
    if (++calls == 1) {
      list["functionConfig"]["status"]["state"] = {{"count", 1}};
    }
    return list;
  });
  use(world, {{{"name", "Counting"}}});
  world.run();
  CHECK(seen.is_null());
  CHECK(status_of(world)["policies"][0]["state"]["count"] == 1);
  world.run();
  CHECK(seen["count"] == 1);
  CHECK(status_of(world)["policies"][0]["state"]["count"] == 1);
}

TEST_CASE("pipeline: parameters fall back to settings, then to defaults, and are validated") {
  World world;
  world.add_tree();
  Json seen;
  Json schema = {{"properties",
                  {{"step", {{"type", "integer"}, {"default", 1}}},
                   {"tier", {{"type", "string"}, {"default", "none"}}},
                   {"size", {{"type", "integer"}, {"default", 7}}}}}};
  add_policy(
      world, "P",
      [&](Json list) {
        seen = list["functionConfig"]["parameters"];
        return list;
      },
      schema);
  world.home.at("Project", "", "p1")["spec"]["settings"] = {{"tier", "gold"}, {"step", 9}};
  use(world, {{{"name", "P"}, {"parameters", {{"step", 3}}}}});
  world.run();
  CHECK(seen == Json({{"step", 3}, {"tier", "gold"}, {"size", 7}}));
  use(world, {{{"name", "P"}, {"parameters", {{"step", "three"}}}}});
  Report report = world.run();
  CHECK(World::node(report, "p1c1v1").reason == "InvalidParameters");
  use(world, {{{"name", "P"}, {"parameters", {{"stpe", 3}}}}});
  report = world.run();
  CHECK(World::node(report, "p1c1v1").message.find("stpe") != std::string::npos);
}

TEST_CASE("pipeline: parameters that a built-in's check refuses never reach it") {
  World world;
  world.add_tree();
  int runs = 0;
  auto definition = definition_of("Even", std::make_shared<FunctionRuntime>([&](Json list) {
                                    ++runs;
                                    return list;
                                  }),
                                  {{"properties", {{"size", {{"type", "integer"}}}}}});
  definition->check = [](const Json& parameters,
                         const kubist::data::PositionLookup&) -> kubist::util::Result<> {
    return parameters["size"] == 2 ? kubist::util::Result<>()
                                   : fail(ErrorKind::not_found, "size: it is odd");
  };
  world.policies.add_builtin(definition);
  const auto run = [&](Json parameters) {
    use(world, {{{"name", "Even"}, {"parameters", std::move(parameters)}}});
    return world.run();
  };
  CHECK(World::node(run({{"size", 3}}), "p1c1v1").reason == "InvalidParameters");
  CHECK(World::node(run({{"size", 3}}), "p1c1v1").message ==
        "policy Even: parameters of policy Even: size: it is odd");
  CHECK(World::node(run({{"size", "two"}}), "p1c1v1").reason == "InvalidParameters");
  CHECK(runs == 0);
  run({{"size", 2}});
  CHECK(runs == 1);
}

TEST_CASE("pipeline: an unknown policy stalls with a suggestion") {
  World world;
  world.add_tree();
  add_policy(world, "TimedWindow", [](Json list) { return list; });
  use(world, {{{"name", "TimedWindw"}}});
  Report report = world.run();
  CHECK(World::node(report, "p1c1v1").reason == "UnknownPolicy");
  CHECK(World::node(report, "p1c1v1").message.find("did you mean \"TimedWindow\"") !=
        std::string::npos);
}

TEST_CASE("pipeline: hold leaves the world alone and keeps what was Ready") {
  World world;
  world.add_tree();
  bool hold = false;
  add_policy(world, "Gate", [&](Json list) {
    if (hold) {
      list["functionConfig"]["status"] = {{"outcome", "Hold"}, {"requeueAfter", "90s"}};
    }
    return list;
  });
  use(world, {{{"name", "Gate"}}});
  world.run();
  hold = true;
  world.executor->log.clear();
  Report report = world.run();
  CHECK(world.executor->place("align p1c1v1") == -1);
  CHECK(World::node(report, "p1c1v1").ready);
  CHECK(World::node(report, "p1c1v1").requeue_after == std::chrono::seconds(90));
  CHECK(world.condition("VirtualCluster", "p1", "p1c1v1", "Ready") == "True Held");
  world.home.at("VirtualCluster", "p1", "p1c1v1")["metadata"]["generation"] = 2;
  report = world.run();
  CHECK_FALSE(World::node(report, "p1c1v1").ready);
  CHECK(world.condition("VirtualCluster", "p1", "p1c1v1", "Ready") == "False Held");
}

TEST_CASE("pipeline: a PolicyRun among the items counts as well") {
  Json resource = make_object("Cluster", "p", "c");
  Json input = {{"kind", "ResourceList"}, {"items", {resource}}};
  Json output = input;
  output["items"].push_back(
      {{"kind", "PolicyRun"}, {"status", {{"outcome", "advance"}, {"requeueAfter", 2.5}}}});
  auto read = read_policy_output(input, output);
  REQUIRE(read);
  CHECK(read->outcome == "advance");
  CHECK(read->requeue_after == std::chrono::milliseconds(2500));
}

TEST_CASE("pipeline: a pause that a policy names is neither nothing nor beyond all time") {
  Json resource = make_object("Cluster", "p", "c");
  Json input = {{"kind", "ResourceList"}, {"items", {resource}}};
  const auto pause = [&](const Json& said) {
    Json output = input;
    output["functionConfig"] = {{"kind", "PolicyRun"}, {"status", {{"requeueAfter", said}}}};
    return *read_policy_output(input, output)->requeue_after;
  };
  CHECK(pause("2562047h") == std::chrono::hours(365 * 24));
  CHECK(pause(999'999'999) == std::chrono::hours(365 * 24));
  CHECK(pause("0s") == std::chrono::seconds(1));
  CHECK(pause(0.2) == std::chrono::seconds(1));
}

TEST_CASE("pipeline: a definition's own functionConfig takes whole values only") {
  PolicyDefinition definition;
  definition.function_config = {
      {"kind", "SetLabels"},
      {"data", {{"labels", "${parameters.labels}"}, {"text", "x ${parameters.labels}"}}}};
  PolicyInput input;
  input.parameters = {{"labels", {{"a", "b"}}}};
  input.resource = make_object("Cluster", "p", "c");
  Json list = make_policy_input(definition, input);
  CHECK(list["functionConfig"]["data"]["labels"] == Json({{"a", "b"}}));
  CHECK(list["functionConfig"]["data"]["text"] == "x ${parameters.labels}");
}

TEST_CASE("pipeline: now and run come only where they are asked for") {
  PolicyDefinition definition;
  PolicyInput input;
  input.resource = make_object("Cluster", "p", "c");
  Json without = make_policy_input(definition, input)["functionConfig"];
  CHECK_FALSE(without.contains("now"));
  CHECK_FALSE(without.contains("run"));
  definition.wants_now = definition.wants_run = true;
  Json with = make_policy_input(definition, input)["functionConfig"];
  CHECK(with["now"] == "1970-01-01T00:00:00Z");
  CHECK(with["run"]["attempt"] == 1);
}
