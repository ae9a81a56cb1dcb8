// Policies that the Root and Projects impose on what is below them.
#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "fakes.hpp"

using namespace kubist;
using namespace kubist::engine;
using namespace kubist::engine::testing;

namespace {

Json calls(const std::vector<std::string>& names) {
  Json all = Json::array();
  for (const std::string& name : names) {
    all.push_back({{"name", name}});
  }
  return all;
}

/// "name(Project/shop), name, ..."
std::string policies_of(const Graph& graph, const Key& wanted) {
  const auto found = graph.find(wanted);
  REQUIRE(found.size() == 1);
  std::vector<std::string> all;
  for (const auto& policy : graph[found.front()].policies) {
    all.push_back(policy.name +
                  (policy.imposed_by.empty() ? "" : util::cat("(", policy.imposed_by, ")")));
  }
  return util::join(all, ", ");
}

Json on(const std::string& kind, const std::vector<std::string>& names, const Json& more = {}) {
  Json imposition{{"kinds", {kind}}, {"policies", calls(names)}};
  imposition.update(more.is_null() ? Json::object() : more);
  return imposition;
}

const Json k_first{{"position", "First"}};
const Json k_soft{{"allowOverride", true}};

}  // namespace

TEST_CASE("impose: the Root's are outside of the Project's, these outside of a resource's own") {
  FakeHome home;
  home.add("Root", "", "root",
           {{"impose", Json::array({on("Execution", {"a", "b"}, k_first), on("Execution", {"y"}),
                                    on("Execution", {"c"}, k_first), on("Execution", {"z"})})}});
  home.add("Project", "", "shop",
           {{"impose", Json::array({on("Execution", {"p"}, k_first), on("Execution", {"x"})})}});
  home.add("Project", "", "other");
  home.add("Execution", "shop", "job", {{"policies", calls({"own"})}});
  home.add("Execution", "other", "job", {{"policies", calls({"own"})}});
  home.add("Cluster", "shop", "eu");
  const Graph graph = home.graph();
  CHECK(policies_of(graph, key("Execution", "shop", "job")) ==
        "a(Root/root), b(Root/root), c(Root/root), p(Project/shop), own, x(Project/shop), "
        "y(Root/root), z(Root/root)");
  CHECK(policies_of(graph, key("Execution", "other", "job")) ==
        "a(Root/root), b(Root/root), c(Root/root), own, y(Root/root), z(Root/root)");
  CHECK(policies_of(graph, key("Cluster", "shop", "eu")) == "");
}

TEST_CASE("impose: a resource's own of that name gives way, but where it may override") {
  FakeHome home;
  home.add(
      "Project", "", "shop",
      {{"impose", Json::array({on("Execution", {"hard"}), on("Execution", {"soft"}, k_soft)})}});
  Json own = calls({"Hard", "Soft"});
  own[0]["parameters"] = {{"allow", true}};
  home.add("Execution", "shop", "job", {{"policies", own}});
  home.add("Execution", "shop", "plain");
  const Graph graph = home.graph();
  CHECK(policies_of(graph, key("Execution", "shop", "job")) == "Soft, hard(Project/shop)");
  CHECK(graph[graph.find(key("Execution", "shop", "job")).front()].policies[1].parameters.empty());
  CHECK(policies_of(graph, key("Execution", "shop", "plain")) ==
        "hard(Project/shop), soft(Project/shop)");
}

TEST_CASE("impose: a release without policies of its own still has its default") {
  FakeHome home;
  home.add("Project", "", "shop", {{"impose", Json::array({on("CanaryRelease", {"p"})})}});
  home.add("CanaryRelease", "shop", "web", {{"destination", "web"}});
  CHECK(policies_of(home.graph(), key("CanaryRelease", "shop", "web")) ==
        "Statistical, p(Project/shop)");
}

TEST_CASE("impose: what several impose under one name stays, each with its parameters") {
  FakeHome home;
  home.add("Root", "", "root", {{"impose", Json::array({on("Execution", {"limit"})})}});
  Json strict = on("Execution", {"limit"}, {{"allowOverride", true}});
  home.add("Project", "", "shop", {{"impose", Json::array({strict, strict})}});
  home.add("Execution", "shop", "job");
  CHECK(policies_of(home.graph(), key("Execution", "shop", "job")) ==
        "limit(Project/shop), limit(Project/shop), limit(Root/root)");
}
