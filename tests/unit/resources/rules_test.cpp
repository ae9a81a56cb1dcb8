#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/rules.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::resources;
using data::Json;

namespace {

const char* const k_files[] = {"rules/tree.yaml", "rules/definitions.yaml", "rules/executions.yaml",
                               "rules/traffic.yaml"};

void collect_messages(const Json& schema, std::set<std::string>& messages) {
  if (schema.is_array()) {
    for (const Json& item : schema) {
      collect_messages(item, messages);
    }
  } else if (schema.is_object()) {
    for (const auto& [key, value] : schema.items()) {
      if (key == "x-kubernetes-validations") {
        for (const Json& rule : value) {
          messages.insert(rule.at("message").get<std::string>());
        }
      } else {
        collect_messages(value, messages);
      }
    }
  }
}

}  // namespace

TEST_CASE("rules: every twin agrees with the cases that the API server is held to") {
  std::size_t count = 0;
  for (auto file : k_files) {
    for (const auto& document : test::test_data(file)) {
      ++count;
      const Json& test = document.value;
      CAPTURE(file);
      CAPTURE(test.at("name"));
      const Json& object = test.at("object");
      const Json* schema_of = schema(group_of(object["apiVersion"].get_ref<const std::string&>()),
                                     object["kind"].get_ref<const std::string&>());
      REQUIRE(schema_of != nullptr);
      auto found = check_rules(*schema_of, object, data::find_path(test, {"old"}));
      if (!test.contains("error")) {
        CHECK_MESSAGE(found.empty(), (found.empty() ? "" : found[0].message));
        continue;
      }
      REQUIRE(found.size() == 1);
      CHECK(found[0].message == test["error"].get<std::string>());
      CHECK(found[0].pointer.find("/metadata") == std::string::npos);
    }
  }
  CHECK(count >= 90);
}

TEST_CASE("rules: each has a twin, and a case that breaks it") {
  std::set<std::string> rules;
  for (const Json& crd : crds()) {
    const Json& root = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    CHECK(rules_without_twin(root) == std::vector<std::string>{});
    collect_messages(root, rules);
  }
  CHECK(rules.size() >= 16);
  std::set<std::string> broken;
  for (auto file : k_files) {
    for (const auto& document : test::test_data(file)) {
      broken.insert(document.value.value("error", ""));
    }
  }
  for (const std::string& rule : rules) {
    CHECK_MESSAGE(broken.count(rule) == 1, rule);
  }
}

TEST_CASE("rules: a violation points at the field") {
  Json object = test::yaml(
      "{apiVersion: kubist.io/v1alpha1, kind: Execution, spec: {items: [{type: Script, script: a}, "
      "{type: Script}]}}");
  auto found = check_rules(*schema("kubist.io", "Execution"), object, nullptr);
  REQUIRE(found.size() == 1);
  CHECK(found[0].pointer == "/spec/items/1");
  Json project = test::yaml("{metadata: {name: a}, spec: {namespace: kube-x}}");
  found = check_rules(*schema("kubist.io", "Project"), project, nullptr);
  REQUIRE(found.size() == 1);
  CHECK(found[0].pointer == "/spec/namespace");
}

TEST_CASE("rules: values of the wrong type are left to the schema") {
  Json object = test::yaml("{metadata: 3, spec: {items: {a: 1}, executor: x}}");
  for (const Kind& kind : kinds()) {
    check_rules(*schema(kind.group, kind.name), object, &object);
    check_rules(*schema(kind.group, kind.name), Json("x"), nullptr);
  }
}
