#include <doctest/doctest.h>

#include <kubist/deployers/deployer.hpp>

using namespace kubist::deployers;

namespace {

Item upstream_container(Json config) {
  config["apiVersion"] = "container.deployer.landscaper.gardener.cloud/v1alpha1";
  config["kind"] = "ProviderConfiguration";
  return parse_item(
             {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
              {"kind", "DeployItem"},
              {"metadata", {{"name", "counter"}, {"namespace", "demo"}, {"uid", "1-2"}}},
              {"spec",
               {{"type", "landscaper.gardener.cloud/container"}, {"config", std::move(config)}}}})
      .value();
}

}  // namespace

TEST_CASE("deployers: names of others are claimed only where the CRD is ours") {
  Settings own;
  Settings foreign;
  foreign.foreign_crd = true;
  CHECK(find_deployer("script", own) == find_deployer("kubist.io/script", own));
  CHECK(find_deployer("landscaper.gardener.cloud/mock", own) ==
        find_deployer("kubist.io/mock", own));
  for (const char* name : {"container", "script", "manifest", "helm", "mock"}) {
    CAPTURE(name);
    CHECK(find_deployer(std::string("kubist.io/") + name, foreign) != nullptr);
    CHECK(find_deployer(name, own) != nullptr);
    CHECK(find_deployer(name, foreign) == nullptr);
  }
  for (const char* name : {"container", "kubernetes-manifest", "helm", "mock"}) {
    CAPTURE(name);
    const std::string type = std::string("landscaper.gardener.cloud/") + name;
    CHECK(find_deployer(type, own) != nullptr);
    CHECK(find_deployer(type, foreign) == nullptr);
  }
  CHECK(find_deployer("Mock", own) != nullptr);  // as landscaper's first examples spell it
  CHECK(find_deployer("landscaper.gardener.cloud/terraform", own) == nullptr);
}

TEST_CASE("deployers: all but manifest take imports") {
  for (const char* name : {"container", "script", "helm", "mock"}) {
    CAPTURE(name);
    CHECK(find_deployer(std::string("kubist.io/") + name, {})->takes_imports());
  }
  CHECK(find_deployer("landscaper.gardener.cloud/container", {})->takes_imports());
  CHECK_FALSE(find_deployer("kubist.io/manifest", {})->takes_imports());
  CHECK_FALSE(find_deployer("landscaper.gardener.cloud/kubernetes-manifest", {})->takes_imports());
}

TEST_CASE("upstream's container: its example is accepted") {
  const Item item = upstream_container({{"image", "alpine:3.20"},
                                        {"command", {"sh", "-c"}},
                                        {"args", {"echo $IMPORTS_PATH"}},
                                        {"importValues", {{"any", "json"}}}});
  const auto checked = find_deployer(item.type, {})->check(item, {});
  CHECK_MESSAGE(checked, checked.error().to_string());
  CHECK(item.import_values == Json{{"any", "json"}});
}

TEST_CASE("upstream's container: fields that need landscaper are refused by name") {
  for (const char* field :
       {"blueprint", "componentDescriptor", "registryPullSecrets", "continuousReconcile"}) {
    const Item item = upstream_container({{"image", "alpine:3.20"}, {field, Json::object()}});
    const auto checked = find_deployer(item.type, {})->check(item, {});
    REQUIRE_FALSE(checked);
    CHECK(checked.error().reason == "InvalidConfiguration");
    CHECK(checked.error().message ==
          "config." + std::string(field) + " is not supported by kubist");
    CHECK_FALSE(checked.error().hint.empty());
  }
}
