#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "explain.hpp"

namespace kubist::cli {

using data::Json;

namespace {

/// What is said of a schema wherever it stands.
void describe_schema(const Schemas& schemas, const Json& schema, Json& entry) {
  const Resolved resolved = schemas.resolve(schema);
  entry["type"] = schemas.type_of(schema);
  if (const Json* values = data::find_path(*resolved.schema, {"enum"})) {
    entry["enum"] = *values;
  }
  if (!resolved.descriptions.empty()) {
    entry["description"] = resolved.descriptions.front();
  }
}

/// `above`: the schemas on the way, since a recursive one ends where it comes again; null: only
/// the next fields.
Json fields_below(const Schemas& schemas, const Json& parent, std::vector<const Json*>* above) {
  Json list = Json::array();
  const Json* fields = data::find_path(parent, {"properties"});
  if (fields == nullptr) {
    return list;
  }
  for (const auto& [name, schema] : fields->items()) {
    Json entry{{"name", name}, {"required", is_required(parent, name)}};
    describe_schema(schemas, schema, entry);
    const Json* inner = schemas.innermost(schema).schema;
    if (above != nullptr && above->size() <= k_max_schema_depth &&
        std::find(above->begin(), above->end(), inner) == above->end()) {
      above->push_back(inner);
      if (Json below = fields_below(schemas, *inner, above); !below.empty()) {
        entry["fields"] = std::move(below);
      }
      above->pop_back();
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

util::Result<Json> explain_document(const KindSchema& kind, const std::vector<std::string>& path,
                                    bool recursive) {
  const Schemas schemas(kind.components);
  KUBIST_TRY(const ExplainedField found, find_field(schemas, kind, path));
  Json document{{"group", kind.group},
                {"version", kind.version},
                {"kind", kind.kind},
                {"field", util::join(path, ".")}};
  describe_schema(schemas, found.field != nullptr ? *found.field : *kind.schema, document);
  // The text shows them one after the other.
  if (!found.at.descriptions.empty()) {
    document["description"] = util::join(found.at.descriptions, "\n\n");
  }
  std::vector<const Json*> above{found.at.schema};
  document["fields"] = fields_below(schemas, *found.at.schema, recursive ? &above : nullptr);
  return document;
}

}  // namespace kubist::cli
