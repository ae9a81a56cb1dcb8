#include "explain.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "custom_columns.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;

constexpr std::size_t k_width = 80;
constexpr std::size_t k_max_depth = 40;  // schemas may be recursive

/// A schema after its references.
struct Resolved {
  const Json* schema;
  std::string name;  ///< the last word of the component's name; empty without a reference
  std::vector<std::string> descriptions;  ///< the field's own first, then the component's
};

class Schemas {
 public:
  explicit Schemas(const Json* components) : m_components(components) {}

  Resolved resolve(const Json& schema) const {
    Resolved resolved{&schema, "", {}};
    for (std::size_t hops = 0; hops < k_max_depth; ++hops) {
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

  /// "[]EnvVar", "map[string]string", "Object": as kubectl guesses it.
  std::string type_of(const Json& schema) const {
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

  /// The schema that has the fields: of a list its items', of a map its values'.
  Resolved innermost(const Json& schema) const {
    Resolved resolved = resolve(schema);
    for (std::size_t hops = 0; hops < k_max_depth; ++hops) {
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

 private:
  static std::string_view reference_of(const Json& schema) {
    const std::string_view direct = data::string_at(schema, {"$ref"});
    const Json* all = data::find_path(schema, {"allOf"});
    return direct.empty() && all != nullptr && all->is_array() && all->size() == 1
               ? data::string_at((*all)[0], {"$ref"})
               : direct;
  }
  const Json* m_components;
};

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  const std::string space(indent, ' ');
  for (const std::string& paragraph : util::split(text, '\n')) {
    std::string line;
    for (const std::string& word : util::split(paragraph, ' ')) {
      if (!line.empty() && line.size() + 1 + word.size() > k_width - indent) {
        result += cat(space, line, '\n');
        line = word;
      } else {
        line += line.empty() && word.empty() ? " " : cat(line.empty() || line == " " ? "" : " ", word);
      }
    }
    result += cat(space, util::trim(line).empty() ? "" : line, '\n');
  }
  return result;
}

std::string enum_list(const Json& schema, std::string_view before, std::string_view between) {
  const Json* values = data::find_path(schema, {"enum"});
  std::string text;
  if (values != nullptr && values->is_array()) {
    for (const Json& value : *values) {
      text += cat(text.empty() ? before : between, go_text(value));
    }
  }
  return text;
}

bool is_required(const Json& parent, const std::string& field) {
  const Json* required = data::find_path(parent, {"required"});
  return required != nullptr && required->is_array() &&
         std::find(required->begin(), required->end(), field) != required->end();
}

std::string field_line(const Schemas& schemas, const Json& parent, const std::string& field,
                       const Json& schema, std::size_t indent) {
  const std::string space(indent, ' ');
  const std::string choices = enum_list(*schemas.resolve(schema).schema, "enum: ", ", ");
  return cat(space, field, "\t<", schemas.type_of(schema), '>',
             is_required(parent, field) ? " -required-" : "", '\n',
             choices.empty() ? "" : space + choices + '\n');
}

void add_tree(const Schemas& schemas, const Json& parent, std::size_t indent,
              std::vector<const Json*>& above, std::string& text) {
  const Json* fields = data::find_path(parent, {"properties"});
  if (fields == nullptr || above.size() > k_max_depth) {
    return;
  }
  for (const auto& [field, schema] : fields->items()) {
    text += field_line(schemas, parent, field, schema, indent);
    const Json* inner = schemas.innermost(schema).schema;
    if (std::find(above.begin(), above.end(), inner) == above.end()) {
      above.push_back(inner);
      add_tree(schemas, *inner, indent + 2, above, text);
      above.pop_back();
    }
  }
}

std::string fields_section(const Schemas& schemas, const Json& parent, bool recursive) {
  const Json* fields = data::find_path(parent, {"properties"});
  if (fields == nullptr || fields->empty()) {
    return "";
  }
  std::string text = "FIELDS:\n";
  if (recursive) {
    std::vector<const Json*> above{&parent};
    add_tree(schemas, parent, 2, above, text);
    return text;
  }
  for (const auto& [field, schema] : fields->items()) {
    const Resolved resolved = schemas.resolve(schema);
    text += field_line(schemas, parent, field, schema, 2);
    text += cat(wrapped(resolved.descriptions.empty() ? "<no description>"
                                                      : resolved.descriptions.front(),
                        4),
                '\n');
  }
  return text;
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

util::Result<> explain(Sink& out, const KindSchema& kind, const std::vector<std::string>& path,
                       bool recursive) {
  const Schemas schemas(kind.components);
  Resolved at = schemas.resolve(*kind.schema);
  std::string text = cat(kind.group.empty() ? "" : cat("GROUP:      ", kind.group, '\n'),
                         "KIND:       ", kind.kind, "\nVERSION:    ", kind.version, "\n\n");
  const Json* field = nullptr;
  for (const std::string& name : path) {
    const Json* fields = data::find_path(*at.schema, {"properties"});
    field = fields == nullptr ? nullptr : data::find_path(*fields, {name});
    if (field == nullptr) {
      return util::fail(no_such_field(*at.schema, name));
    }
    at = schemas.innermost(*field);
  }
  if (field != nullptr) {
    const std::string choices = enum_list(*schemas.resolve(*field).schema, "ENUM:\n    ", "\n    ");
    text += cat("FIELD: ", path.back(), " <", schemas.type_of(*field), ">\n", choices, "\n\n");
  }
  text += "DESCRIPTION:\n";
  text += at.descriptions.empty() ? "    <empty>\n" : "";
  for (const std::string& description : at.descriptions) {
    text += wrapped(description, 4);
  }
  text += "    \n";
  text += fields_section(schemas, *at.schema, recursive);
  out.write(text + '\n');
  return {};
}

}  // namespace kubist::cli
