#include "schemas.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/resources/crds.hpp>

namespace kubist::testing {

using data::Json;

const Json& execution_item_schema() {
  static const Json schema = *data::find(*resources::schema("kubist.io", "Execution"),
                                         "/properties/spec/properties/items/items");
  return schema;
}

const Json& manifest_config_schema() {
  static const Json schema = Json::parse(R"({"type": "object", "properties": {
    "updateStrategy": {"type": "string", "enum": ["update", "patch", "merge", "x"]},
    "manifests": {"type": "array", "x-hostile": true, "items": {}},
    "yaml": {"type": "string"},
    "readinessChecks": {"type": "object", "properties": {
      "disableDefault": {"type": "boolean"}, "timeout": {"type": "string"},
      "custom": {"type": "array", "items": {"type": "object", "required": ["name", "requirements"],
        "properties": {"name": {"type": "string"}, "timeout": {"type": "string"},
          "resourceSelector": {"x-kubernetes-preserve-unknown-fields": true},
          "requirements": {"type": "array", "minItems": 1, "items": {"type": "object",
            "required": ["jsonPath", "operator"], "properties": {"jsonPath": {"type": "string"},
              "operator": {"type": "string"}, "values": {"type": "array", "items": {"type": "object",
                "required": ["value"], "properties": {"value":
                {"x-kubernetes-preserve-unknown-fields": true}}}}}}}}}}}},
    "exports": {"type": "object", "properties": {"exports": {"type": "array", "items": {
      "type": "object", "required": ["key", "jsonPath"], "properties": {"key": {"type": "string"},
        "jsonPath": {"type": "string"}, "fromResource": {"type": "object",
          "required": ["apiVersion", "kind", "name"], "properties": {"apiVersion": {"type": "string"},
            "kind": {"type": "string"}, "name": {"type": "string"},
            "namespace": {"type": "string"}}}}}}}}}})");
  return schema;
}

const Json& helm_config_schema() {
  static const Json schema =
      Json::parse(R"({"type": "object", "required": ["chart"], "properties": {
    "chart": {"type": "object", "properties": {"path": {"type": "string"}, "oci": {"type": "string"},
      "url": {"type": "string"}, "repo": {"type": "string"}, "name": {"type": "string"},
      "archive": {"type": "object", "properties": {"raw": {"type": "string"}}}}},
    "name": {"type": "string"}, "namespace": {"type": "string"}, "createNamespace": {"type": "boolean"},
    "values": {"x-kubernetes-preserve-unknown-fields": true},
    "valuesFrom": {"type": "array", "items": {"type": "object", "required": ["import"],
      "properties": {"import": {"type": "string"}, "path": {"type": "string"}}}}}})");
  return schema;
}

const Json& mock_config_schema() {
  static const Json schema = Json::parse(R"({"type": "object", "properties": {
    "phase": {"type": "string", "enum": ["Init", "Progressing", "Succeeded", "Failed"]},
    "message": {"type": "string"}, "delay": {"type": "string"},
    "providerStatus": {"x-kubernetes-preserve-unknown-fields": true},
    "export": {"x-kubernetes-preserve-unknown-fields": true}}})");
  return schema;
}

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"missing", "", "Timed/x"};
    for (const policies::Builtin& each : policies::builtins()) {
      all.push_back(each.definition->name);
      all.push_back(each.definition->name);
    }
    return all;
  }();
  return names;
}

const std::vector<std::string>& annotation_keys() {
  static const std::vector<std::string> keys{"kubist.io/request",
                                             "kubist.io/owner",
                                             "kubist.io/override",
                                             "kubist.io/adopted",
                                             "kubist.io/applied",
                                             "kubist.io/depends-on",
                                             "kubist.io/item",
                                             "kubist.io/deployitem",
                                             "kubist.io/job",
                                             "kubist.io/mesh",
                                             "kubist.io/run",
                                             "kubist.io/version",
                                             "landscaper.gardener.cloud/operation",
                                             "kubist.io/nonsense",
                                             "evil.example/x",
                                             "kubectl.kubernetes.io/last-applied-configuration"};
  return keys;
}

}  // namespace kubist::testing
