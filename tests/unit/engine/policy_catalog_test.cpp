#include <doctest/doctest.h>

#include <kubist/engine/policy_case.hpp>

#include "function_policy.hpp"

using namespace kubist::engine;
using namespace kubist::engine::testing;

TEST_CASE("policies: definitions are found by namespace, built-in ones cannot be replaced") {
  World world;
  add_policy(world, "JsonPatch", [](Json list) { return list; });
  auto runtime = std::make_shared<FunctionRuntime>([](Json list) { return list; });
  auto runtime_for = [&](const std::string& key) -> std::shared_ptr<PolicyRuntime> {
    return key == "jsonnet" ? runtime : nullptr;
  };
  auto make = [&](const std::string& kind, const std::string& ns, const std::string& name,
                  Json runtime_spec) {
    return read_policy_definition(
        make_object(kind, ns, name, {{"runtime", std::move(runtime_spec)}}), runtime_for,
        [](std::string text) { return PromqlQuery{std::move(text)}; });
  };
  Json jsonnet = {{"jsonnet", {{"source", "function(x) x"}}}};
  auto team = make("PolicyDefinition", "p1", "guard", jsonnet);
  auto everyone = make("ClusterPolicyDefinition", "", "guard", jsonnet);
  REQUIRE(team);
  REQUIRE(everyone);
  REQUIRE(world.policies.add(*team));
  REQUIRE(world.policies.add(*everyone));
  CHECK((*world.policies.find("p1", "guard"))->origin == "PolicyDefinition");
  CHECK((*world.policies.find("p2", "guard"))->origin == "ClusterPolicyDefinition");
  CHECK((*world.policies.find("p1", "guard"))->source == "function(x) x");
  CHECK(world.policies.list("p1").size() == 2);
  CHECK_FALSE(world.policies.add(*make("PolicyDefinition", "p1", "JsonPatch", jsonnet)));
  CHECK_FALSE(make("PolicyDefinition", "p1", "x", {{"exec", "tool"}}));
  CHECK_FALSE(make("PolicyDefinition", "p1", "x", Json::object()));
}

TEST_CASE("policy case: a recorded input is run and compared in part") {
  World world;
  add_policy(world, "A", [](Json list) { return append(std::move(list), "a"); });
  Json document = {
      {"policy", "A"},
      {"input", {{"kind", "ResourceList"}, {"items", {make_object("VirtualCluster", "p", "c")}}}},
      {"expected", {{"items", {{{"spec", {{"labels", {{"path", "a"}}}}}}}}}}};
  auto test = read_policy_case(document, "case.yaml");
  REQUIRE(test);
  auto result = run_policy_case(*test, world.policies, "p");
  REQUIRE(result);
  CHECK_MESSAGE(result->passed, result->message);
  test->expected["items"][0]["spec"]["labels"]["path"] = "b";
  result = run_policy_case(*test, world.policies, "p");
  CHECK_FALSE(result->passed);
  REQUIRE(result->differences.size() == 1);
  CHECK(result->differences[0].pointer == "/items/0/spec/labels/path");
  // What a live run refuses is refused here: a Cluster has no labels.
  test->input["items"][0]["kind"] = "Cluster";
  result = run_policy_case(*test, world.policies, "p");
  CHECK_FALSE(result->passed);
  CHECK_MESSAGE(result->message.find("a spec that the kind does not take") != std::string::npos,
                result->message);
  CHECK_FALSE(read_policy_case({{"policy", "A"}}, "x"));
}
