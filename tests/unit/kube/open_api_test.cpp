#include <doctest/doctest.h>

#include <kubist/kube/open_api.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_transport.hpp"

using namespace kubist;
using data::Json;
using kube::OpenApi;

namespace {

constexpr const char* k_document = R"({"components":{"schemas":{
  "app.Web":{"type":"object","description":"long","properties":{
      "metadata":{"allOf":[{"$ref":"#/components/schemas/meta"}],"default":{}},
      "spec":{"type":"object","required":["size"],"properties":{
        "size":{"type":"integer"},
        "port":{"$ref":"#/components/schemas/IntOrString"},
        "raw":{"$ref":"#/components/schemas/raw"},
        "any":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
               "properties":{"known":{"type":"object","properties":{"a":{"type":"string"}}}}},
        "labels":{"type":"object","additionalProperties":{"type":"string"}},
        "free":{"type":"object","additionalProperties":true},
        "template":{"type":"object","x-kubernetes-embedded-resource":true,
                    "properties":{"spec":{"type":"object","properties":{"b":{"type":"string"}}}}},
        "list":{"type":"array","items":{"$ref":"#/components/schemas/node"}}}}},
    "x-kubernetes-group-version-kind":[{"group":"example.com","version":"v1","kind":"Web"}]},
  "meta":{"type":"object","properties":{"name":{"type":"string"},"labels":{"type":"object",
      "additionalProperties":{"type":"string"}}}},
  "IntOrString":{"oneOf":[{"type":"integer"},{"type":"string"}]},
  "raw":{"type":"object"},
  "node":{"type":"object","properties":{"name":{"type":"string"},
      "children":{"type":"array","items":{"$ref":"#/components/schemas/node"}}}}}}})";

const kube::ApiResource k_web{.group = "example.com", .version = "v1", .kind = "Web"};

std::string unknown(const data::Schema& schema, const char* object) {
  std::string messages;
  for (const util::Error& error : schema.validate(Json::parse(object))) {
    messages += error.message + "\n";
  }
  return messages;
}

struct OpenApiFixture {
  explicit OpenApiFixture(const std::filesystem::path& folder = {})
      : api(fake, "http://fake", folder) {}
  std::shared_ptr<testing::FakeTransport> fake = std::make_shared<testing::FakeTransport>();
  OpenApi api;
};

}  // namespace

TEST_CASE("OpenApi: finds unknown fields, and nothing but them") {
  OpenApiFixture f;
  f.fake->always("GET", "/openapi/v3/apis/example.com/v1", 200, k_document);
  const auto schema = f.api.fields_of(k_web, OpenApi::Source::cache, {});
  REQUIRE(schema);
  CHECK(unknown(*schema, R"({"apiVersion":"example.com/v1","kind":"Web",
      "metadata":{"name":"a","labels":{"x":"y"}},
      "spec":{"size":"many","port":[],"raw":{"x":{"y":1}},"any":{"x":1,"known":{"a":"b"}},
              "labels":{"x":{"not":"text"}},"free":{"x":{"y":1}},
              "template":{"apiVersion":"v1","kind":"X","metadata":{"name":"n"},"spec":{"b":"c"}},
              "list":[{"name":"n","children":[{"children":[]}]}]}})")
            .empty());
  CHECK(unknown(*schema, R"({"apiVersion":"example.com/v1","kind":"Web","sepc":{},
      "metadata":{"lables":{}},
      "spec":{"siez":1,"any":{"known":{"other":1}},"template":{"status":{}},
              "list":[{"children":[{"nmae":"x"}]}]}})") ==
        "metadata.lables: unknown field, did you mean \"labels\"?\n"
        "sepc: unknown field\n"
        "spec.any.known.other: unknown field\n"
        "spec.list[0].children[0].nmae: unknown field, did you mean \"name\"?\n"
        "spec.siez: unknown field, did you mean \"size\"?\n"
        "spec.template.status: unknown field\n");
}

TEST_CASE("OpenApi: asks once, and not at all where an earlier process did") {
  const util::TempDir folder("open-api");
  for (const int process : {1, 2}) {
    OpenApiFixture f(folder.path());
    f.fake->always("GET", "/openapi/v3/apis/example.com/v1", 200, k_document);
    CHECK(f.api.fields_of(k_web, OpenApi::Source::cache, {}));
    CHECK(f.api.fields_of(k_web, OpenApi::Source::cache, {}));
    CHECK(f.fake->sent().size() == (process == 1 ? 1 : 0));
    CHECK(f.api.fields_of(k_web, OpenApi::Source::server, {}));
    CHECK(f.api.fields_of(k_web, OpenApi::Source::server, {}));
    CHECK(f.fake->sent().size() == 1);
  }
}

TEST_CASE("OpenApi: what is not described is not there; kinds that come later are asked for") {
  const util::TempDir folder("open-api");
  kube::ApiResource later = k_web;
  later.kind = "Later";
  {
    OpenApiFixture f(folder.path());
    f.fake->always("GET", "/openapi/v3/apis/example.com/v1", 200, k_document);
    CHECK(!f.api.fields_of(later, OpenApi::Source::cache, {}));
    CHECK(f.api.fields_of(k_web, OpenApi::Source::cache, {}));
    CHECK(f.fake->sent().size() == 1);
  }
  OpenApiFixture f(folder.path());
  f.fake->always("GET", "/openapi/v3/apis/example.com/v1", 200,
                 util::replace_all(k_document, "\"Web\"", "\"Later\""));
  CHECK(f.api.fields_of(later, OpenApi::Source::cache, {}));
}

TEST_CASE("OpenApi: a server without it, or a broken answer, describes nothing") {
  OpenApiFixture f;
  SUBCASE("404") {}
  SUBCASE("no JSON") { f.fake->always("GET", "/openapi/v3/apis/example.com/v1", 200, "<html>"); }
  SUBCASE("another shape") {
    f.fake->always("GET", "/openapi/v3/apis/example.com/v1", 200, R"({"components":[]})");
  }
  SUBCASE("a reference to nothing") {
    f.fake->always("GET", "/openapi/v3/apis/example.com/v1", 200,
                   util::replace_all(k_document, "schemas/meta", "schemas/nothing"));
  }
  CHECK(!f.api.fields_of(k_web, OpenApi::Source::cache, {}));
  CHECK(!f.api.fields_of(k_web, OpenApi::Source::cache, {}));
  CHECK(f.fake->sent().size() == 1);
}
