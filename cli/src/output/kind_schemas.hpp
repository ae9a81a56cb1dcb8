#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// The schema of one kind and what its "$ref"s refer to ("components/schemas").
struct KindSchema {
  std::string group, version, kind;
  const data::Json* schema = nullptr;
  const data::Json* components = nullptr;  ///< may be null
  bool has_metadata = true;                ///< must it have some, as objects of a cluster must?
};

/// A schema after its references.
struct Resolved {
  const data::Json* schema;
  std::string name;  ///< the last word of the component's name; empty without a reference
  std::vector<std::string> descriptions;  ///< the field's own first, then the component's
};

/// Schemas may be recursive: nothing is followed further than this.
inline constexpr std::size_t k_max_schema_depth = 40;

/// Reads schemas that refer to components, which must outlive it.
class Schemas {
 public:
  explicit Schemas(const data::Json* components) : m_components(components) {}

  Resolved resolve(const data::Json& schema) const;
  /// "[]EnvVar", "map[string]string", "Object": as kubectl guesses it.
  std::string type_of(const data::Json& schema) const;
  /// The schema that has the fields: of a list its items', of a map its values'.
  Resolved innermost(const data::Json& schema) const;

 private:
  const data::Json* m_components;
};

/// A kind, or a field of it.
struct ExplainedField {
  const data::Json* field = nullptr;  ///< its own schema; null: the kind itself
  Resolved at;                        ///< where its fields are
};
/// not_found: no such field, with a suggestion.
util::Result<ExplainedField> find_field(const Schemas& schemas, const KindSchema& kind,
                                        const std::vector<std::string>& path);

bool is_required(const data::Json& parent, const std::string& field);

}  // namespace kubist::cli
