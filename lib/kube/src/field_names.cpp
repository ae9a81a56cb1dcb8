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
  const Json& all = data::array_at(schema, {"allOf"});
  if (reference.empty() && all.size() == 1) {
    reference = data::string_at(all[0], {"$ref"});
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
  for (const auto& [name, property] : data::object_at(schema, {"properties"}).items()) {
    names["properties"][name] = names_in(property, depth + 1);
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
  for (const auto& [component, schema] :
       data::object_at(document, {"components", "schemas"}).items()) {
    names["schemas"][component] = field_names(schema);
    for (const Json& kind : data::array_at(schema, {"x-kubernetes-group-version-kind"})) {
      if (data::string_at(kind, {"group"}) == group &&
          data::string_at(kind, {"version"}) == version) {
        names["kinds"][std::string(data::string_at(kind, {"kind"}))] = component;
      }
    }
  }
  return names;
}

}  // namespace kubist::kube
