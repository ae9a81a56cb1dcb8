#include "kind_schemas.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using data::Json;
using util::cat;

namespace {

std::string_view reference_of(const Json& schema) {
  const std::string_view direct = data::string_at(schema, {"$ref"});
  const Json& all = data::array_at(schema, {"allOf"});
  return direct.empty() && all.size() == 1 ? data::string_at(all[0], {"$ref"}) : direct;
}

util::Error no_such_field(const Json& parent, const std::string& field) {
  std::vector<std::string> names;
  if (const Json* fields = data::find_path(parent, {"properties"}); fields != nullptr) {
    for (const auto& [name, schema] : fields->items()) {
      names.push_back(name);
    }
  }
  return util::make_error(
      util::ErrorKind::not_found,
      cat("field \"", field, "\" does not exist", util::did_you_mean(field, names)),
      names.empty() ? "" : cat("There is: ", util::join(names, ", "), '.'));
}

}  // namespace

Resolved Schemas::resolve(const Json& schema) const {
  Resolved resolved{&schema, "", {}};
  for (std::size_t hops = 0; hops < k_max_schema_depth; ++hops) {
    const std::string_view text = data::string_at(*resolved.schema, {"description"});
    if (!text.empty()) {
      resolved.descriptions.emplace_back(text);
    }
    const std::string_view reference = reference_of(*resolved.schema);
    const std::size_t slash = reference.rfind('/');
    if (slash == std::string_view::npos || m_components == nullptr) {
      break;
    }
    const auto found = m_components->find(reference.substr(slash + 1));
    if (found == m_components->end()) {
      break;
    }
    resolved.schema = &*found;
    resolved.name = reference.substr(reference.find_last_of("./") + 1);
  }
  return resolved;
}

std::string Schemas::type_of(const Json& schema) const {
  const Resolved resolved = resolve(schema);
  const Json& target = *resolved.schema;
  if (const Json* items = data::find_path(target, {"items"}); items != nullptr) {
    return "[]" + type_of(*items);
  }
  const Json* values = data::find_path(target, {"additionalProperties"});
  if (values != nullptr && values->is_object()) {
    return "map[string]" + type_of(*values);
  }
  const std::string_view type = data::string_at(target, {"type"});
  const bool plain = !type.empty() && type != "object";  // Time is a string to people
  if (!resolved.name.empty() && !plain) {
    return resolved.name;
  }
  if (data::bool_at(target, {"x-kubernetes-int-or-string"})) {
    return "IntOrString";
  }
  return plain ? std::string(type) : "Object";
}

Resolved Schemas::innermost(const Json& schema) const {
  Resolved resolved = resolve(schema);
  for (std::size_t hops = 0; hops < k_max_schema_depth; ++hops) {
    const Json* inner = data::find_path(*resolved.schema, {"items"});
    if (inner == nullptr) {
      inner = data::find_path(*resolved.schema, {"additionalProperties"});
    }
    if (inner == nullptr || !inner->is_object()) {
      break;
    }
    Resolved next = resolve(*inner);
    resolved.schema = next.schema;
    resolved.name = next.name;
    std::move(next.descriptions.begin(), next.descriptions.end(),
              std::back_inserter(resolved.descriptions));
  }
  return resolved;
}

util::Result<ExplainedField> find_field(const Schemas& schemas, const KindSchema& kind,
                                        const std::vector<std::string>& path) {
  ExplainedField found{nullptr, schemas.resolve(*kind.schema)};
  for (const std::string& name : path) {
    const Json* fields = data::find_path(*found.at.schema, {"properties"});
    found.field = fields == nullptr ? nullptr : data::find_path(*fields, {name});
    if (found.field == nullptr) {
      return util::fail(no_such_field(*found.at.schema, name));
    }
    found.at = schemas.innermost(*found.field);
  }
  return found;
}

bool is_required(const Json& parent, const std::string& field) {
  const Json& required = data::array_at(parent, {"required"});
  return std::find(required.begin(), required.end(), field) != required.end();
}

}  // namespace kubist::cli
