#include "output/json_schema.hpp"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using data::Json;
using util::cat;

namespace {

constexpr std::string_view k_reference = "#/components/schemas/";

/// Those that mean the same in both.
constexpr std::array<std::string_view, 17> k_same{
    "description", "type",          "enum",          "default",    "pattern",  "minLength",
    "maxLength",   "minimum",       "maximum",       "minItems",   "maxItems", "uniqueItems",
    "required",    "minProperties", "maxProperties", "multipleOf", "title"};

class Converter {
 public:
  explicit Converter(const Json* components) : m_components(components) {}

  /// `structural`: it says which fields there are; parts of allOf, anyOf, oneOf and not do not.
  Json convert(const Json& schema, bool structural = true) {
    if (const std::string_view to = data::string_at(schema, {"$ref"}); !to.empty()) {
      return {{"$ref", cat("#/definitions/", named(to))}};
    }
    Json made = Json::object();
    for (const std::string_view word : k_same) {
      if (const auto found = schema.find(std::string(word)); found != schema.end()) {
        made[found.key()] = *found;
      }
    }
    add_bounds(schema, made);
    add_types(schema, made);
    add_fields(schema, structural, made);
    for (const char* word : {"allOf", "anyOf", "oneOf"}) {
      for (const Json& part : data::array_at(schema, {word})) {
        made[word].push_back(convert(part, false));
      }
    }
    if (const Json* part = data::find_path(schema, {"not"})) {
      made["not"] = convert(*part, false);
    }
    return made;
  }

  /// The schemas that were referred to, and those that they refer to.
  Json definitions() {
    Json made = Json::object();
    while (!m_open.empty()) {
      const std::string name = m_open.back();
      m_open.pop_back();
      const Json* schema =
          m_components == nullptr ? nullptr : data::find_path(*m_components, {name});
      made[name] = schema == nullptr ? Json::object() : convert(*schema);
    }
    return made;
  }

 private:
  std::string named(std::string_view reference) {
    std::string name(reference.substr(reference.starts_with(k_reference) ? k_reference.size() : 0));
    if (m_known.insert(name).second) {
      m_open.push_back(name);
    }
    return name;
  }

  /// In OpenAPI 3.0 they are booleans beside the bound.
  static void add_bounds(const Json& schema, Json& made) {
    for (const auto& [word, bound] :
         {std::pair{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}}) {
      if (data::bool_at(schema, {word}) && made.contains(bound)) {
        made[word] = made[bound];
        made.erase(bound);
      }
    }
  }

  static void add_types(const Json& schema, Json& made) {
    if (data::bool_at(schema, {"x-kubernetes-int-or-string"})) {
      made["type"] = {"integer", "string"};
    }
    if (data::bool_at(schema, {"nullable"}) && made.contains("type")) {
      if (!made["type"].is_array()) {
        made["type"] = Json::array({made["type"]});
      }
      made["type"].push_back("null");
      if (made.contains("enum")) {
        made["enum"].push_back(nullptr);
      }
    }
  }

  void add_fields(const Json& schema, bool structural, Json& made) {
    const Json& fields = data::object_at(schema, {"properties"});
    for (const auto& [name, field] : fields.items()) {
      made["properties"][name] = convert(field, structural);
    }
    if (const Json* items = data::find_path(schema, {"items"})) {
      made["items"] = convert(*items, structural);
    }
    const Json* others = data::find_path(schema, {"additionalProperties"});
    if (others != nullptr) {
      made["additionalProperties"] = others->is_object() ? convert(*others, structural) : *others;
    } else if (structural && !fields.empty() &&
               !data::bool_at(schema, {"x-kubernetes-preserve-unknown-fields"})) {
      made["additionalProperties"] = false;
    }
  }

  const Json* m_components;
  std::set<std::string> m_known;
  std::vector<std::string> m_open;
};

/// What all documents of the kind have, and its schema need not say.
void add_object_fields(const KindSchema& kind, Json& made) {
  Json& fields = made["properties"];
  fields["apiVersion"] = {
      {"const", kind.group.empty() ? kind.version : cat(kind.group, '/', kind.version)}};
  fields["kind"] = {{"const", kind.kind}};
  std::set<std::string> required{"apiVersion", "kind"};
  if (kind.has_metadata) {
    required.insert("metadata");
    if (data::find_path(fields, {"metadata", "$ref"}) == nullptr) {
      fields["metadata"] = {{"type", "object"}};
    }
  }
  for (std::string& name : data::strings_at(made, {"required"})) {
    required.insert(std::move(name));
  }
  made["required"] = required;
}

}  // namespace

Json json_schema(const KindSchema& kind) {
  Converter converter(kind.components);
  Json made = converter.convert(*kind.schema);
  add_object_fields(kind, made);
  made["$schema"] = "http://json-schema.org/draft-07/schema#";
  made["title"] = kind.kind;
  if (Json definitions = converter.definitions(); !definitions.empty()) {
    made["definitions"] = std::move(definitions);
  }
  return made;
}

}  // namespace kubist::cli
