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

TEST_CASE("reads: what a spec names by a reference, wherever it stands") {
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
