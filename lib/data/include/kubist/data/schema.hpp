#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/data/position.hpp>
#include <kubist/util/result.hpp>

namespace kubist::data {

struct Pattern;  ///< a compiled regular expression

/// One node of a compiled schema; pointers are owned by its Schema.
struct SchemaNode {
  std::string type;  ///< "object", "array", "string", "integer", "number", "boolean" or empty (any)
  std::string format;
  std::string title;
  std::string description;
  std::string ref_name;  ///< the component that it came from by $ref, else empty
  std::map<std::string, const SchemaNode*, std::less<>> properties;
  std::vector<std::string> required;
  const SchemaNode* items = nullptr;
  const SchemaNode* additional = nullptr;  ///< the schema of a map's values
  bool additional_allowed = false;         ///< additionalProperties: true, or a schema
  bool nullable = false;
  bool preserve_unknown = false;   ///< x-kubernetes-preserve-unknown-fields
  bool int_or_string = false;      ///< x-kubernetes-int-or-string
  bool embedded_resource = false;  ///< x-kubernetes-embedded-resource
  std::string list_type;           ///< x-kubernetes-list-type: atomic, set, map or empty
  std::vector<std::string> list_map_keys;
  std::optional<Json> default_value;
  std::vector<Json> enum_values;
  std::shared_ptr<const Pattern> pattern;
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<std::size_t> min_length, max_length, min_items, max_items, min_properties,
      max_properties;
  bool unique_items = false;
  std::vector<const SchemaNode*> all_of, any_of, one_of;
  const SchemaNode* negated = nullptr;  ///< "not"
  std::size_t rules = 0;                ///< x-kubernetes-validations, checked by the server only

  /// Does a map's unknown field pass? (preserve_unknown, additional_allowed, or no properties and
  /// no type said.)
  bool open() const;
};

/// What the validator is strict about.
struct SchemaOptions {
  bool reject_unknown = true;  ///< unknown fields are errors (fieldValidation=Strict)
  std::size_t max_errors = 100;
};

/// A Kubernetes structural schema (the OpenAPI v3 subset of CRDs), or a plain JSON schema of the
/// same subset: policy parameters, exportSchema. Compiled once, immutable, safe to share: any
/// thread may use it, several at once, each with a value and a `lookup` of its own.
class Schema {
 public:
  /// `components` is where "$ref": "#/components/schemas/X" (or "#/definitions/X") is looked up;
  /// references may be recursive. Errors: invalid (an unknown type, a pattern that RE2 does not
  /// take, too many patterns, a bad reference), naming the place in the schema.
  static util::Result<Schema> compile(const Json& schema, const Json& components = nullptr);

  /// Every violation, in document order: kind invalid, message "PATH: what is wrong", position from
  /// `lookup`, and as hint the nearest known name where there is one. Empty: it is valid.
  std::vector<util::Error> validate(const Json& value, const PositionLookup& lookup = {},
                                    const SchemaOptions& options = {}) const;
  /// Fills in defaults where a field is missing (or null and not nullable), as the API server does:
  /// parents first, nothing inside what is absent.
  void apply_defaults(Json& value) const;
  /// Removes unknown fields as the API server does; the pointers of what went.
  std::vector<std::string> prune(Json& value) const;

  const SchemaNode& root() const;
  /// The most that its patterns take, in bytes.
  std::int64_t pattern_memory() const;
  /// The node at a path of field names ("spec", "containers", "image"); lists and maps are passed
  /// through without a name of their own. Errors: not_found with a suggestion.
  util::Result<const SchemaNode*> walk(const std::vector<std::string>& path) const;

  struct Impl;

 private:
  explicit Schema(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> m_impl;
};

/// One Error for a list of them: itself if single, else "N errors in ORIGIN" with details.
util::Error combine_errors(std::vector<util::Error> errors, std::string_view what);

}  // namespace kubist::data
