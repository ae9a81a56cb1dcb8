#include "field_names.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {

using data::Json;

namespace {

constexpr int k_max_depth = 100;  // deeper parts take any field
constexpr const char* k_preserve = "x-kubernetes-preserve-unknown-fields";

/// "#/components/schemas/X" -> "X"; OpenAPI v3 wraps a reference in allOf to give it a default.
std::string_view reference_of(const Json& schema) {
  std::string_view reference = data::string_at(schema, {"$ref"});
  const Json* all = data::find_path(schema, {"allOf"});
  if (reference.empty() && all != nullptr && all->is_array() && all->size() == 1) {
    reference = data::string_at((*all)[0], {"$ref"});
  }
  return reference.substr(reference.rfind('/') + 1);
}

Json names_in(const Json& schema, int depth) {
  Json names = Json::object();
  if (!schema.is_object() || depth > k_max_depth) {
    return names;
  }
  if (const std::string_view name = reference_of(schema); !name.empty()) {
    names["$ref"] = util::cat("#/schemas/", name);
    return names;
  }
  if (const Json* properties = data::find_path(schema, {"properties"});
      properties != nullptr && properties->is_object()) {
    for (const auto& [name, property] : properties->get_ref<const Json::object_t&>()) {
      names["properties"][name] = names_in(property, depth + 1);
    }
  }
  if (const Json* values = data::find_path(schema, {"additionalProperties"});
      values != nullptr && *values != false) {
    names["additionalProperties"] = values->is_object() ? names_in(*values, depth + 1) : *values;
  }
  if (const Json* items = data::find_path(schema, {"items"}); items != nullptr) {
    names["items"] = names_in(*items, depth + 1);
  }
  if (data::bool_at(schema, {k_preserve})) {
    names[k_preserve] = true;
  } else if (data::bool_at(schema, {"x-kubernetes-embedded-resource"})) {
    for (const char* field : {"apiVersion", "kind", "metadata"}) {
      names["properties"].emplace(field, Json::object());
    }
  }
  return names;
}

}  // namespace

Json field_names(const Json& schema) { return names_in(schema, 0); }

Json field_names_of_document(const Json& document, std::string_view group,
                             std::string_view version) {
  Json names{{"kinds", Json::object()}, {"schemas", Json::object()}};
  const Json* components = data::find_path(document, {"components", "schemas"});
  if (components == nullptr || !components->is_object()) {
    return names;
  }
  for (const auto& [component, schema] : components->get_ref<const Json::object_t&>()) {
    names["schemas"][component] = field_names(schema);
    const Json* kinds = data::find_path(schema, {"x-kubernetes-group-version-kind"});
    if (kinds == nullptr || !kinds->is_array()) {
      continue;
    }
    for (const Json& kind : *kinds) {
      if (data::string_at(kind, {"group"}) == group &&
          data::string_at(kind, {"version"}) == version) {
        names["kinds"][std::string(data::string_at(kind, {"kind"}))] = component;
      }
    }
  }
  return names;
}

}  // namespace kubist::kube
