#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "item/config_check.hpp"
#include "manifest/manifest_plan.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

// As in apis/deployer/utils/{readinesschecks,managedresource} of landscaper; the fields that are
// refused below are open here, so that the answer is better than "unknown field".
constexpr std::string_view k_shared = R"({
  "updateStrategy": {"type": "string"},
  "drift": {"type": "string", "enum": ["Repair", "Report", "Ignore"]},
  "readinessChecks": {
    "type": "object",
    "properties": {
      "disableDefault": {"type": "boolean"},
      "timeout": {"type": "string"},
      "custom": {"type": "array", "items": {
        "type": "object",
        "required": ["name", "requirements"],
        "properties": {
          "name": {"type": "string", "minLength": 1},
          "disabled": {"type": "boolean"},
          "timeout": {"type": "string"},
          "targetName": {"type": "string"},
          "resourceSelector": {"x-kubernetes-preserve-unknown-fields": true},
          "labelSelector": {
            "type": "object",
            "required": ["apiVersion", "kind", "matchLabels"],
            "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"},
              "namespace": {"type": "string"},
              "matchLabels": {"type": "object", "minProperties": 1,
                "additionalProperties": {"type": "string"}}}},
          "requirements": {"type": "array", "minItems": 1, "items": {
            "type": "object",
            "required": ["jsonPath", "operator"],
            "properties": {"jsonPath": {"type": "string"},
              "operator": {"type": "string", "minLength": 1},
              "values": {"type": "array", "items": {"type": "object", "required": ["value"],
                "properties": {"value": {"x-kubernetes-preserve-unknown-fields": true}}}}}}}
        }}}
    }},
  "exports": {
    "type": "object",
    "properties": {
      "defaultTimeout": {"type": "string"},
      "exports": {"type": "array", "items": {
        "type": "object",
        "required": ["key", "jsonPath"],
        "properties": {
          "key": {"type": "string", "minLength": 1, "maxLength": 1024},
          "jsonPath": {"type": "string", "minLength": 1},
          "timeout": {"type": "string"},
          "targetName": {"type": "string"},
          "fromResource": {
            "type": "object",
            "required": ["apiVersion", "kind", "name"],
            "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"},
              "name": {"type": "string"}, "namespace": {"type": "string"}}},
          "fromObjectRef": {
            "type": "object",
            "required": ["apiVersion", "kind", "jsonPath"],
            "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"},
              "jsonPath": {"type": "string"}}}
        }}}
    }},
  "deletionGroups": {"x-kubernetes-preserve-unknown-fields": true},
  "deletionGroupsDuringUpdate": {"x-kubernetes-preserve-unknown-fields": true},
  "continuousReconcile": {"x-kubernetes-preserve-unknown-fields": true},
  "deleteTimeout": {"x-kubernetes-preserve-unknown-fields": true},
  "healthChecks": {"x-kubernetes-preserve-unknown-fields": true},
  "kubeconfig": {"x-kubernetes-preserve-unknown-fields": true}
})";

// Landscaper takes one object here, too.
constexpr std::string_view k_selectors = R"({
  "type": "array",
  "items": {
    "type": "object",
    "required": ["apiVersion", "kind", "name"],
    "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"},
      "name": {"type": "string"}, "namespace": {"type": "string"}}}
})";

struct Refused {
  const char* field;
  const char* hint;
};
constexpr std::array k_refused{
    Refused{"deletionGroups",
            "Objects are deleted in the reverse order of applying, each step when the one before "
            "is gone; leave it out."},
    Refused{"deletionGroupsDuringUpdate",
            "Objects are deleted in the reverse order of applying; leave it out."},
    Refused{"continuousReconcile",
            "Run kubist reconcile --watch, or kubist reconcile by a timer; leave it out."},
    Refused{"deleteTimeout", "The item's timeout is for all of it; leave it out."},
    Refused{"healthChecks", "It is called readinessChecks."},
    Refused{"kubeconfig", "Name a target."}};

/// As the code of landscaper spells them, and as its documentation does.
constexpr std::array k_operators{std::pair{"exists", "exists"},  std::pair{"!", "!"},
                                 std::pair{"doesnotexist", "!"}, std::pair{"=", "=="},
                                 std::pair{"==", "=="},          std::pair{"equals", "=="},
                                 std::pair{"!=", "!="},          std::pair{"notequals", "!="},
                                 std::pair{"in", "in"},          std::pair{"notin", "notin"}};

ObjectSelector selector(const Json& from) {
  return {std::string(data::string_at(from, {"apiVersion"})),
          std::string(data::string_at(from, {"kind"})),
          std::string(data::string_at(from, {"name"})),
          std::string(data::string_at(from, {"namespace"})),
          from.contains("matchLabels") ? std::optional(from["matchLabels"]) : std::nullopt};
}

util::Result<data::JsonPath> compile_path(std::string_view text, std::string_view where) {
  auto path = data::JsonPath::compile_relaxed(text);
  if (!path) {
    return refuse(cat(where, " \"", text, "\": ", path.error().message));
  }
  return path;
}

util::Result<std::optional<std::chrono::seconds>> read_timeout(const Json& from,
                                                               std::string_view where) {
  const auto text = data::string_at(from, {"timeout"});
  if (text.empty()) {
    return std::nullopt;
  }
  const auto duration = util::parse_duration(text);
  if (!duration || duration->count() <= 0) {
    return refuse(cat(where, ".timeout \"", text, "\" is no duration such as 90s"));
  }
  return std::optional(std::chrono::ceil<std::chrono::seconds>(*duration));
}

util::Result<Requirement> read_requirement(const Json& from, const std::string& where) {
  KUBIST_TRY(auto path, compile_path(std::string(data::string_at(from, {"jsonPath"})),
                                     cat(where, ".jsonPath")));
  const std::string written = util::lower(std::string(data::string_at(from, {"operator"})));
  const auto known = std::find_if(k_operators.begin(), k_operators.end(),
                                  [&](const auto& one) { return one.first == written; });
  if (known == k_operators.end()) {
    return refuse(cat(where, ".operator \"", std::string(data::string_at(from, {"operator"})),
                      "\" is none of exists, !, =, ==, !=, in, notin"));
  }
  Requirement requirement{
      std::move(path), std::string(data::string_at(from, {"jsonPath"})), known->second, {}};
  for (const Json& value : from.value("values", Json::array())) {
    requirement.values.push_back(value.at("value"));
  }
  const bool takes_values = requirement.op != "exists" && requirement.op != "!";
  const bool one = requirement.op == "==" || requirement.op == "!=";
  if (takes_values ? requirement.values.empty() || (one && requirement.values.size() != 1)
                   : !requirement.values.empty()) {
    return refuse(cat(where, ": operator ", requirement.op, " takes ",
                      !takes_values ? "no values"
                      : one         ? "one value"
                                    : "one or more values"));
  }
  return requirement;
}

util::Result<ReadinessCheck> read_check(const Json& from, const std::string& where) {
  ReadinessCheck check;
  check.name = std::string(data::string_at(from, {"name"}));
  KUBIST_TRY(check.timeout, read_timeout(from, where));
  Json selectors = from.value("resourceSelector", Json::array());
  if (selectors.is_object()) {
    selectors = Json::array({selectors});
  }
  static const data::Schema schema = config_schema(k_selectors);
  if (auto errors = schema.validate(selectors); !errors.empty()) {
    return refuse(
        data::combine_errors(std::move(errors), cat(where, ".resourceSelector")).to_string());
  }
  for (const Json& one : selectors) {
    check.objects.push_back(selector(one));
  }
  if (from.contains("labelSelector")) {
    check.objects.push_back(selector(from["labelSelector"]));
  }
  if (check.objects.empty()) {
    return refuse(cat(where, " (", check.name, ") needs resourceSelector or labelSelector"));
  }
  std::size_t i = 0;
  for (const Json& one : from["requirements"]) {
    KUBIST_TRY(auto requirement, read_requirement(one, cat(where, ".requirements[", i++, "]")));
    check.requirements.push_back(std::move(requirement));
  }
  return check;
}

util::Result<> read_readiness(const Json& from, ManifestPlan& plan) {
  plan.default_readiness = !data::bool_at(from, {"disableDefault"});
  KUBIST_TRY(const auto common, read_timeout(from, "config.readinessChecks"));
  std::size_t i = 0;
  for (const Json& one : from.value("custom", Json::array())) {
    const std::string where = cat("config.readinessChecks.custom[", i++, "]");
    if (one.contains("targetName")) {
      return refuse(cat(where, ".targetName is not supported by kubist"),
                    "Check in an item of that target, and let others depend on it.");
    }
    if (data::bool_at(one, {"disabled"})) {
      continue;
    }
    KUBIST_TRY(auto check, read_check(one, where));
    if (!check.timeout) {
      check.timeout = common;
    }
    plan.checks.push_back(std::move(check));
  }
  return {};
}

util::Result<> read_exports(const Json& from, bool has_values, ManifestPlan& plan) {
  std::size_t i = 0;
  for (const Json& one : from.value("exports", Json::array())) {
    const std::string where = cat("config.exports.exports[", i++, "]");
    if (one.contains("targetName")) {
      return refuse(cat(where, ".targetName is not supported by kubist"),
                    "Export it from an item of that target.");
    }
    if (!one.contains("fromResource") && !has_values) {
      return refuse(cat(where, ".fromResource is missing: which object is exported from?"));
    }
    KUBIST_TRY(auto path, compile_path(std::string(data::string_at(one, {"jsonPath"})),
                                       cat(where, ".jsonPath")));
    ExportRule rule{std::string(data::string_at(one, {"key"})),
                    std::move(path),
                    selector(one.value("fromResource", Json::object())),
                    {},
                    {},
                    {}};
    if (one.contains("fromObjectRef")) {
      const Json& reference = one["fromObjectRef"];
      KUBIST_TRY(rule.reference, compile_path(std::string(data::string_at(reference, {"jsonPath"})),
                                              cat(where, ".fromObjectRef.jsonPath")));
      std::swap(*rule.reference, rule.path);  // upstream: the rule's own path gives the name
      rule.referred_api_version = std::string(data::string_at(reference, {"apiVersion"}));
      rule.referred_kind = std::string(data::string_at(reference, {"kind"}));
    }
    plan.exports.push_back(std::move(rule));
  }
  return {};
}

}  // namespace

const Json& shared_fields() {
  static const Json fields = Json::parse(k_shared);
  return fields;
}

data::Schema schema_with_shared(std::string_view own_fields) {
  Json schema = Json::parse(own_fields);
  schema["properties"].update(shared_fields());
  return config_schema(schema.dump());
}

util::Result<> read_shared(const Json& config, bool has_values, ManifestPlan& plan) {
  for (const Refused& refused : k_refused) {
    if (config.contains(refused.field)) {
      return refuse(cat("config.", refused.field, " is not supported by kubist"), refused.hint);
    }
  }
  const auto strategy = data::string_at(config, {"updateStrategy"}, "update");
  if (strategy == "merge") {
    return refuse("config.updateStrategy merge (fill in only what is absent) is not supported",
                  "Use policy fallback or immutable for objects that others may change.");
  }
  if (strategy != "update" && strategy != "patch" && strategy != "mergeOverwrite") {
    return refuse(cat("config.updateStrategy ", strategy, " is none of update, patch, ",
                      "mergeOverwrite: all three are a server-side apply"));
  }
  if (config.contains("readinessChecks")) {
    KUBIST_CHECK(read_readiness(config["readinessChecks"], plan));
  }
  if (config.contains("exports")) {
    KUBIST_CHECK(read_exports(config["exports"], has_values, plan));
  }
  return {};
}

}  // namespace kubist::deployers
