#include "session/read_watches.hpp"

#include <doctest/doctest.h>

#include <kubist/engine/node.hpp>

#include "support/comes_true.hpp"
#include "support/fake_cluster.hpp"
#include "support/objects.hpp"
#include "world/absences.hpp"

using namespace kubist;
using executors::Read;

namespace {

std::set<Read> reads(const std::string& kind, const std::string& ns, const data::Json& spec) {
  const data::Json object = testing::object(kind, ns, "x", spec);
  engine::Node node;
  node.key = {"kubist.io", kind, ns, "x"};
  node.object = std::make_shared<const data::Json>(object);
  return executors::reads_of(node);
}

}  // namespace

TEST_CASE("reads: what a spec names and kubist itself reads") {
  CHECK(reads("Cluster", "shop", {{"kubeconfigSecretRef", {{"name", "far"}}}}) ==
        std::set<Read>{{"Secret", "shop", "far"}});
  CHECK(reads("Execution", "shop",
              {{"imports",
                {{{"name", "a"}, {"secretRef", {{"name", "s"}, {"key", "k"}}}},
                 {{"name", "b"}, {"configMapRef", {{"name", "c"}, {"key", "k"}}}}}},
               {"items",
                {{{"name", "one"}, {"imports", {{{"name", "d"}, {"secretRef", {{"name", "t"}}}}}}},
                 {{"name", "two"}}}}}) == std::set<Read>{{"ConfigMap", "shop", "c"},
                                                         {"Secret", "shop", "s"},
                                                         {"Secret", "shop", "t"}});
  CHECK(reads("Cluster", "shop", {{"home", true}}).empty());
  CHECK(reads("Cluster", "shop", {{"kubeconfigSecretRef", 7}}).empty());
}

TEST_CASE("reads: not what pods read, and nothing inside manifests and values") {
  const data::Json from{{"configMapRef", {{"name", "of-pods"}}}};
  CHECK(reads("Execution", "shop", {{"items", {{{"name", "one"}, {"envFrom", {from}}}}}}).empty());
  const data::Json pod{{"containers", {{{"name", "web"}, {"envFrom", {from}}}}}};
  CHECK(reads("DeployItem", "shop",
              {{"import", {{"secretRef", {{"name", "values"}}}}},
               {"config",
                {{"manifests", {{{"kind", "Pod"}, {"spec", pod}}}},
                 {"values", {{"secretRef", {{"name", "of-a-chart"}}}}}}}}) ==
        std::set<Read>{{"Secret", "shop", "values"}});
}

TEST_CASE("reads: of projects that are not watched nothing is read") {
  testing::FakeCluster home;
  std::vector<engine::Node> nodes;
  for (const char* ns : {"shop", "blog", "bank"}) {
    nodes.push_back(engine::make_node(testing::object("Project", "", ns)));
    nodes.push_back(engine::make_node(
        testing::object("Cluster", ns, "far", {{"kubeconfigSecretRef", {{"name", "far"}}}})));
  }
  const engine::Graph graph = engine::Graph::build(std::move(nodes));
  executors::Absences absences;
  executors::Inbox inbox;
  executors::ReadWatches watches(home.connect(), inbox, absences);
  watches.follow(graph, {.or_else = {"shop", "blog"}});
  const auto read = [&] {
    std::set<std::string> namespaces;
    for (const testing::LoggedRequest& each : home.log()) {
      if (each.resource == "secrets" && each.verb == "watch") {
        namespaces.insert(each.ns);
      }
    }
    return namespaces;
  };
  CHECK(testing::comes_true([&] { return read().size() >= 2; }));
  CHECK(read() == std::set<std::string>{"blog", "shop"});
}
