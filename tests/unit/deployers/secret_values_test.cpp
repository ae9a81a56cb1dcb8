#include <doctest/doctest.h>

#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "support/fake_transport.hpp"

using namespace kubist;
using data::Json;
using util::cat;

namespace {

/// A home with the Secret `shop/kept` of exports, and an Execution `first` whose exports it has.
struct SecretValues {
  SecretValues() {
    kube::ClusterAccess access;
    access.server = "http://fake";
    kube::ClientOptions options;
    options.transport = fake;
    world.home = *kube::Client::connect(std::move(access), std::move(options));
  }
  void exports(const std::string& text) {
    fake->reply("GET", "/apis/kubist.io/v1alpha1/namespaces/shop/executions/first", 200,
                R"({"kind":"Execution","metadata":{"name":"first"},)"
                R"("status":{"exports":{"secretRef":{"name":"kept"}}}})");
    const Json secret{{"kind", "Secret"},
                      {"metadata", {{"name", "kept"}}},
                      {"data", {{"config", util::base64_encode(text)}}}};
    fake->reply("GET", "/api/v1/namespaces/shop/secrets/kept", 200, secret.dump());
  }
  std::shared_ptr<testing::FakeTransport> fake = std::make_shared<testing::FakeTransport>();
  deployers::World world;
};

}  // namespace

TEST_CASE_FIXTURE(SecretValues, "secret values: what is no JSON is told by its place alone") {
  const Json imports =
      Json::array({{{"name", "url"}, {"executionRef", {{"name", "first"}, {"export", "url"}}}}});
  const Json item{{"metadata", {{"namespace", "shop"}, {"name", "first-item"}}},
                  {"status", {{"exportRef", {{"name", "kept"}}}}}};
  for (const char* text :
       {"{\"url\": 77777777777777777777777}", "{\"url\": 1e77777}", "{\"url\": QQQ}", "QQQ",
        "{\"url\": \"QQQ", "{\"QQQ\": 1, \"QQQ\": 2}"}) {
    CAPTURE(text);
    const auto check = [](const util::Error& error, const char* origin) {
      const std::string said = error.to_string();
      CHECK_MESSAGE(said.find(origin) != std::string::npos, said);
      CHECK_MESSAGE(said.find("the Secret's value is not JSON") != std::string::npos, said);
      CHECK_MESSAGE(said.find("777") == std::string::npos, said);
      CHECK_MESSAGE(said.find('Q') == std::string::npos, said);
    };
    exports(text);
    const auto values = deployers::resolve_imports(world, "shop", &imports, Json::object());
    REQUIRE_FALSE(values);
    check(values.error(), "exports of Execution first:1:");
    exports(text);
    const auto kept = deployers::kept_exports(world, item);
    REQUIRE_FALSE(kept);
    check(kept.error(), "kept:1:");
  }
  exports("");
  CHECK(deployers::kept_exports(world, item).value() == Json::object());
}

TEST_CASE_FIXTURE(SecretValues, "secret values: what is nested without end is no JSON") {
  const auto last = [&](std::size_t levels) {
    const std::string text = std::string(levels, '[') + std::string(levels, ']');
    const Json secret{{"kind", "Secret"},
                      {"metadata", {{"name", "first-last"}}},
                      {"data", {{"deployItem", util::base64_encode(text)}}}};
    fake->reply("GET", cat("/api/v1/namespaces/shop/secrets/", deployers::home_last_name("first")),
                200, secret.dump());
    const auto found =
        deployers::find_last(world, {{"metadata", {{"name", "first"}, {"namespace", "shop"}}}});
    REQUIRE(found);
    REQUIRE(*found);
    return (*found)->deploy_item;
  };
  CHECK(last(500).is_array());
  CHECK(last(300'000).is_null());  // to copy it would overflow the stack
}
