#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/util/text.hpp>

using namespace kubist;
using data::Json;
using data::Schema;

namespace {

constexpr const char* k_schema = R"(
type: object
required: [spec]
properties:
  spec:
    type: object
    required: [image]
    properties:
      image: {type: string, minLength: 3, pattern: '^[a-z/]+$'}
      replicas: {type: integer, format: int32, minimum: 0, maximum: 10, default: 1}
      mode: {type: string, enum: [Fast, Slow], default: Fast}
      port: {x-kubernetes-int-or-string: true}
      labels: {type: object, additionalProperties: {type: string}}
      since: {type: string, format: date-time}
      maybe: {type: string, nullable: true}
      open: {type: object, x-kubernetes-preserve-unknown-fields: true}
      object: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
      nested: {type: object, default: {}, properties: {deep: {type: integer, default: 5}}}
      list:
        type: array
        maxItems: 3
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items: {type: object, required: [name], properties: {name: {type: string}, size: {type: number, default: 2}}}
      oneof:
        type: object
        properties: {a: {type: string}, b: {type: string}}
        oneOf: [{required: [a]}, {required: [b]}]
  status: {type: object}
)";

Schema schema() {
  auto document = data::read_document(k_schema, "schema.yaml");
  REQUIRE(document);
  auto compiled = Schema::compile(document->value);
  if (!compiled) {
    FAIL(compiled.error().message);
  }
  return *compiled;
}

std::vector<std::string> errors_of(std::string_view yaml) {
  const auto document = data::read_document(yaml, "f");
  REQUIRE(document);
  std::vector<std::string> lines;
  for (const util::Error& error : schema().validate(document->value, document->lookup())) {
    lines.push_back(error.to_string());
  }
  return lines;
}

}  // namespace

TEST_CASE("Schema: a valid object has no errors") {
  CHECK(util::join(errors_of(R"(
apiVersion: v1
kind: X
metadata: {name: a, anything: 1}
spec:
  image: abc/def
  replicas: 3.0
  port: http
  labels: {a: b}
  since: 2020-02-29T23:59:60.5+01:00
  maybe: null
  open: {x: {y: 1}}
  object: {apiVersion: v1, kind: Z, z: 1}
  list: [{name: a}, {name: b, size: 1.5}]
  oneof: {a: x}
)"),
                   "\n") == "");
}

TEST_CASE("Schema: reports all errors with positions and advice") {
  const auto errors = errors_of(R"(spec:
  imagge: abc
  replicas: "3"
  mode: fast
  port: 1.5
  labels: {a: 1}
  since: yesterday
  list: [{name: a}, {name: a}, {size: x}]
  oneof: {a: x, b: z}
  nested: null
)");
  CHECK(util::join(errors, "\n") ==
        util::join(
            {
                "f:2:3: spec: missing required field \"image\"",
                "f:2:3: spec.imagge: unknown field, did you mean \"image\"?",
                "f:3:13: spec.replicas: expected integer, found string \"3\"\n  remove the quotes",
                "f:4:9: spec.mode: unsupported value \"fast\", did you mean \"Fast\"?\n  allowed "
                "are: Fast, Slow",
                "f:5:9: spec.port: expected an integer or a string, found number 1.5",
                "f:6:15: spec.labels.a: expected string, found integer 1\n  quote it to make it a "
                "string",
                "f:7:10: spec.since: \"yesterday\" is no date-time",
                "f:8:21: spec.list[1]: same name as element 0",
                "f:8:32: spec.list[2]: missing required field \"name\"",
                "f:8:39: spec.list[2].size: expected number, found string \"x\"",
                "f:9:10: spec.oneof: must match exactly one of 2 alternatives, matches 2",
                "f:10:11: spec.nested: expected object, found null\n  leave the field out, or give "
                "it a value",
            },
            "\n"));
}

TEST_CASE("Schema: advises to remove quotes only where that would help") {
  const auto advice = [](const std::string& type, const std::string& text) {
    const Schema schema = *Schema::compile({{"type", type}});
    const auto errors = schema.validate(Json(text));
    REQUIRE(errors.size() == 1);
    return errors[0].hint;
  };
  for (const auto& [type, text] :
       std::vector<std::pair<std::string, std::string>>{{"integer", "3"},
                                                        {"integer", "-0x1F"},
                                                        {"number", "1.5"},
                                                        {"number", "7"},
                                                        {"boolean", "yes"},
                                                        {"boolean", "false"}}) {
    CHECK_MESSAGE(advice(type, text) == "remove the quotes", type, " ", text);
  }
  for (const auto& [type, text] :
       std::vector<std::pair<std::string, std::string>>{{"integer", "abc"},
                                                        {"integer", "1.5"},
                                                        {"integer", ""},
                                                        {"number", "10m"},
                                                        {"number", ".nan"},
                                                        {"boolean", "1"},
                                                        {"boolean", "sure"},
                                                        {"object", "3"}}) {
    CHECK_MESSAGE(advice(type, text) == "", type, " ", text);
  }
}

TEST_CASE("Schema: an integer may be written as a double up to 2^53") {
  const Schema schema = *Schema::compile({{"type", "integer"}});
  CHECK(schema.validate(Json(1e3)).empty());
  CHECK(schema.validate(Json(9007199254740991.0)).empty());
  for (const double number : {9007199254740992.0, -1e19, 1.5}) {
    const auto errors = schema.validate(Json(number));
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].message.find("expected integer, found number") != std::string::npos);
  }
}

TEST_CASE("Schema: limits of numbers, strings and lists") {
  CHECK(errors_of(
            "spec: {image: a, replicas: 11, list: [{name: a},{name: b},{name: c},{name: d}]}") ==
        std::vector<std::string>{"f:1:15: spec.image: expected at least 3 characters, found 1",
                                 "f:1:28: spec.replicas: expected at most 10, found 11",
                                 "f:1:38: spec.list: expected at most 3 elements, found 4"});
  CHECK(errors_of("spec: {image: ABC}").at(0).find("does not match ^[a-z/]+$") !=
        std::string::npos);
  CHECK(errors_of("spec: {image: abc, object: {kind: X}}").at(0).find("needs apiVersion") !=
        std::string::npos);
}

TEST_CASE("Schema: fills in defaults as the API server does") {
  Json value = Json::parse(R"({"spec":{"image":"abc","mode":null,"list":[{"name":"a"}]}})");
  schema().apply_defaults(value);
  CHECK(value == Json::parse(R"({"spec":{"image":"abc","mode":"Fast","replicas":1,
    "nested":{"deep":5},"list":[{"name":"a","size":2}]}})"));
}

TEST_CASE("Schema: prunes unknown fields") {
  Json value = Json::parse(R"({"kind":"X","extra":1,"spec":{"image":"a","x":1,"open":{"y":1},
    "list":[{"name":"a","z":1}],"object":{"metadata":{},"q":1}},"status":{"a":1}})");
  CHECK(schema().prune(value) ==
        std::vector<std::string>{"/extra", "/spec/list/0/z", "/spec/x", "/status/a"});
  CHECK(value["spec"]["open"] == Json{{"y", 1}});
}

TEST_CASE("Schema: walks to a field for explain") {
  const Schema compiled = schema();
  const auto node = compiled.walk({"spec", "list", "name"});
  REQUIRE(node);
  CHECK((*node)->type == "string");
  CHECK(compiled.walk({"spec", "lists"}).error().message ==
        "field \"lists\" does not exist in spec, did you mean \"list\"?");
}

TEST_CASE("Schema: references may be recursive") {
  const Json components = Json::parse(R"({"Tree":{"type":"object","properties":{
    "name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/components/schemas/Tree"}}}}})");
  const auto tree = Schema::compile(Json{{"$ref", "#/components/schemas/Tree"}}, components);
  REQUIRE(tree);
  CHECK(tree->root().ref_name == "Tree");
  CHECK(tree->validate(Json::parse(R"({"children":[{"children":[{"name":1}]}]})")).size() == 1);
  CHECK((*tree->walk({"children", "children", "name"}))->type == "string");
}

TEST_CASE("Schema: refuses what it cannot compile") {
  CHECK(Schema::compile(Json{{"type", "strin"}}).error().message ==
        "schema at the root: unknown type \"strin\", did you mean \"string\"?");
  CHECK(!Schema::compile(Json::parse(R"({"pattern":"("})")));
  CHECK(!Schema::compile(Json::parse(R"({"$ref":"#/components/schemas/X"})")));
  CHECK(!Schema::compile(Json::parse(R"({"$ref":"A"})"),
                         Json::parse(R"({"A":{"allOf":[{"$ref":"A"}]}})")));
  CHECK(!Schema::compile(Json(1)));
}

TEST_CASE("Schema: what all patterns of one schema take is limited; the same ones count once") {
  const auto compile = [](int count, const auto& pattern_of) {
    Json list = Json::array();
    for (int i = 0; i < count; ++i) {
      list.push_back({{"pattern", pattern_of(i)}});
    }
    return Schema::compile({{"allOf", list}});
  };
  const auto large = [](int i) { return "\\pL{40}" + std::to_string(i); };
  const auto small = [](int i) { return "^v" + std::to_string(i); };
  CHECK(compile(16, large));
  CHECK(compile(17, large).error().message ==
        "schema at /allOf: with pattern \"\\pL{40}16\" the different patterns take more than "
        "16 MiB of memory");
  CHECK(compile(512, small));
  CHECK_FALSE(compile(513, small));
  CHECK(compile(2000, [](int) { return "\\pL{40}"; })->pattern_memory() == 1 << 20);
  // What is large still matches.
  CHECK(compile(1, large)->validate(std::string(40, 'x') + "0").empty());
  CHECK(compile(1, large)->validate(std::string(39, 'x') + "0").size() == 1);
}

TEST_CASE("combine_errors: one stays itself") {
  CHECK(data::combine_errors({util::make_error(util::ErrorKind::invalid, "a")}, "f").message ==
        "a");
  CHECK(data::combine_errors({util::Error{}, util::Error{}}, "f").message == "2 errors in f");
}
