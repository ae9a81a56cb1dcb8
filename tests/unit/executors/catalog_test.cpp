#include <doctest/doctest.h>

#include <kubist/executors/catalog.hpp>
#include <kubist/util/text.hpp>

using namespace kubist;
using data::Json;

namespace {

/// Its parameters take 16 MiB for their patterns.
Json definition(const std::string& ns, const std::string& name) {
  Json patterns = Json::array();
  for (int i = 0; i < 16; ++i) {
    patterns.push_back({{"pattern", util::cat("\\pL{40}", i)}});
  }
  return {
      {"apiVersion", "kubist.io/v1alpha1"},
      {"kind", "PolicyDefinition"},
      {"metadata", {{"name", name}, {"namespace", ns}}},
      {"spec",
       {{"runtime", {{"jsonnet", "function(list) list"}}}, {"parameters", {{"allOf", patterns}}}}}};
}

}  // namespace

TEST_CASE("catalog: what the patterns of a namespace take is limited, of that namespace alone") {
  std::vector<Json> objects;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    objects.push_back(definition("shop", name));
  }
  objects.push_back(definition("blog", "a"));
  const auto catalog = executors::Catalog({}).build(objects);
  CHECK(catalog.find("shop", "d"));
  const auto refused = catalog.find("shop", "e");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message ==
        "PolicyDefinition/e: the definitions before it in namespace shop take all 64 MiB of memory "
        "for patterns");
  CHECK(catalog.find("blog", "a"));
}

TEST_CASE("catalog: an image, whose answers members may write, gets no account") {
  const auto executor = [](Json runtime) {
    return Json{{"apiVersion", "kubist.io/v1alpha1"},
                {"kind", "ExecutorDefinition"},
                {"metadata", {{"name", "facts"}}},
                {"spec",
                 {{"wraps", "Cluster"},
                  {"serviceAccountName", "platform"},
                  {"runtime", std::move(runtime)}}}};
  };
  const executors::Catalog catalog({});
  const auto images = catalog.executors({executor({{"container", {{"image", "facts"}}}})});
  REQUIRE_FALSE(images.at("facts"));
  CHECK(images.at("facts").error().reason == "NotImposable");
  const auto sources =
      catalog.executors({executor({{"jsonnet", {{"source", "function(list) list"}}}})});
  CHECK(sources.at("facts"));
}
