// Why kubist wrote, as its commands print it: of an object, and of a run.
#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

/// Its namespaces get that label from the policy.
Json definition(const std::string& project, const std::string& tier) {
  return object(
      "PolicyDefinition", project, "tiers",
      {{"runtime",
        {{"jsonnet",
          {{"source", cat("function(list) list { items: [super.items[0] { spec+: { labels+: { "
                          "tier: '",
                          tier, "' } } }] }")}}}}}});
}

std::string last_run(const std::string& project, const std::string& name, const char* field) {
  return std::string(data::string_at(*vc(project, name), {"status", "lastRun", field}));
}

/// The objects of the Events that are listed, each once.
std::set<std::string> told_of(const std::string& project, const Words& more) {
  Words words{"events", "-n", project, "--no-headers"};
  words.insert(words.end(), more.begin(), more.end());
  std::set<std::string> objects;
  for (const std::string& line : kubist::util::split(must(run_kubist(words)), '\n')) {
    for (const std::string& word : kubist::util::split(line, ' ')) {
      if (word.starts_with("VirtualCluster/") || word.starts_with("Cluster/")) {
        objects.insert(word);
        break;
      }
    }
  }
  return objects;
}

}  // namespace

TEST_CASE("why: the command names node, policy, cause and run, and the run's Events are listed") {
  World world("why");
  const std::string project = world.name();
  world.make_project(project,
                     {{"notifications", Json::array({{{"name", "cluster"}, {"type", "Events"}}})}});
  const Json policies{{"policies", Json::array({call("tiers")})}};
  put("home", {object("Cluster", project, "home", {{"home", true}}), definition(project, "silver"),
               virtual_cluster(project, "dev", "home", world.name("dev"), policies)});
  must(run_kubist({"reconcile", "Project/" + project}));
  const std::string first = last_run(project, "dev", "id");
  put("home",
      {definition(project, "gold"), virtual_cluster(project, "late", "home", world.name("late"))});
  must(run_kubist({"reconcile", "Project/" + project}));
  const std::string second = last_run(project, "dev", "id");
  REQUIRE(label(world.name("dev"), "tier") == "gold");
  REQUIRE(first != second);
  REQUIRE(last_run(project, "late", "id") == second);

  const std::string why = must(run_kubist({"why", "namespace/" + world.name("dev")}));
  const std::string cause = last_run(project, "dev", "cause");
  CHECK(cause.starts_with("asked for by "));
  for (const std::string& line :
       {cat("Namespace/", world.name("dev"), "\n"),
        cat("  Kept by:   VirtualCluster/", project, "/dev\n"),
        cat("  Below:     Cluster/", project, "/home, Project/", project, "\n"),
        cat("  Last run:  ", second, ", ended ", last_run(project, "dev", "finishedAt"), ": "),
        cat("  Cause:     ", cause, "\n"),
        cat("  Wrote:     apply v1 Namespace/", world.name("dev"), "\n"),
        std::string("  Written:   "), std::string("  Policy:    tiers: Succeeded"),
        std::string("  Ready:     True: ")}) {
    CHECK_MESSAGE(why.find(line) != std::string::npos, line, "\nis not in\n", why);
  }

  const std::set<std::string> begun{"Cluster/home", "VirtualCluster/dev"},
      added{"VirtualCluster/late"};
  CHECK(told_of(project, {"--run", first}) == begun);
  CHECK(told_of(project, {"--run", second}) == added);
  CHECK(told_of(project, {}).size() == begun.size() + added.size());
  CHECK(told_of(project, {"--run", "none"}).empty());
}
