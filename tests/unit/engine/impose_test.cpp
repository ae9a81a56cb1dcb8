// Policies that the Root and Projects impose on what is below them.
#include <doctest/doctest.h>

#include <kubist/engine/made_items.hpp>
#include <kubist/engine/triggers.hpp>
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

TEST_CASE("impose: what an Execution makes has what is imposed on DeployItems, wherever it goes") {
  FakeHome home;
  home.add("Root", "", "root",
           {{"impose", Json::array({on("DeployItem", {"a"}, k_first), on("Execution", {"e"})})}});
  home.add(
      "Project", "", "shop",
      {{"impose", Json::array({on("DeployItem", {"p"}), on("DeployItem", {"soft"}, k_soft)})}});
  home.add("Project", "", "other");
  home.add("Execution", "shop", "job", {{"policies", calls({"own", "P"})}});
  home.add("Execution", "shop", "free", {{"policies", calls({"soft"})}});
  const Graph graph = home.graph();
  Json item = make_object("DeployItem", "shop", "job-x", {{"target", {{"name", "nowhere"}}}});
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  const auto policies_by = [&](const std::string& execution) {
    const auto made =
        made_items(graph, graph.find(key("Execution", "shop", execution)).front(), {item, item});
    REQUIRE(made);
    REQUIRE(made->ids.size() == 2);
    std::vector<std::string> all;
    for (const auto& policy : made->graph[made->ids[1]].policies) {
      all.push_back(util::cat(policy.name, "(", policy.imposed_by, ")"));
    }
    return util::join(all, ", ");
  };
  CHECK(policies_by("job") == "a(Root/root), p(Project/shop), soft(Project/shop)");
  CHECK(policies_by("free") == "a(Root/root), p(Project/shop)");
}

TEST_CASE("impose: an Execution is looked at when a policy of what it makes changes") {
  FakeHome home;
  home.add("Project", "", "shop", {{"impose", Json::array({on("DeployItem", {"p"})})}});
  home.add("Project", "", "other");
  home.add("Execution", "shop", "job");
  home.add("Execution", "other", "job");
  home.add("Cluster", "shop", "eu");
  const Graph graph = home.graph();
  CHECK(affected(graph, key("ClusterPolicyDefinition", "", "p"), Cause::changed) ==
        std::vector<Key>{key("Execution", "shop", "job")});
  CHECK(affected(graph, key("PolicyDefinition", "shop", "p"), Cause::changed).empty());
  CHECK_FALSE(made_items(graph, graph.find(key("Execution", "other", "job")).front(), {}));
}
