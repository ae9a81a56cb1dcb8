#include "session/read_watches.hpp"

#include <doctest/doctest.h>

#include <kubist/engine/node.hpp>

#include "support/objects.hpp"

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
