#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

#include "kinds.hpp"

/// Who owns which field, as sigs.k8s.io/structured-merge-diff has it (merge/update.go).
namespace kubist::testing {

/// Path elements as in fieldsV1: `f:spec`, `k:{"name":"x"}`, `v:"x"`.
using FieldPath = std::vector<std::string>;
using FieldSet = std::set<FieldPath>;

/// Every field that an object sets.
FieldSet fields_of(const data::Json& object, const Shape& shape);

/// A trie as managedFields[].fieldsV1 has it, and back.
data::Json to_fields_v1(const FieldSet& fields);
FieldSet from_fields_v1(const data::Json& trie);

/// What differs between two states of an object.
struct FieldChanges {
  FieldSet added, modified, removed;
};
FieldChanges compare_fields(const data::Json& before, const data::Json& after, const Shape& shape);

/// The live object with what is applied laid over it, list by list and map by map.
data::Json merge_fields(const data::Json& live, const data::Json& applied, const Shape& shape);
/// Takes those fields away, and items and maps that are left with nothing by it.
void remove_fields(data::Json& object, const FieldSet& fields, const Shape& shape);

/// Who writes: an entry of managedFields.
struct FieldWriter {
  std::string manager;
  std::string operation;  ///< "Apply" or "Update"
  std::string api_version;
  std::string subresource;
};

/// A field that another manager owns.
struct OwnedField {
  data::Json entry;  ///< of managedFields
  FieldPath path;
};

/// managedFields of `after`, which the writer made of `before`. `applied`: what its server-side
/// apply sent. Fields of others that changed go over to the writer, or are returned where it is not
/// `force`d (then `after` is as it was). `now`: the time of entries that change.
std::vector<OwnedField> own_fields(const data::Json& before, data::Json& after,
                                   const FieldWriter& writer,
                                   const std::optional<FieldSet>& applied, bool force,
                                   const Shape& shape, const std::string& now);

/// What the writer owned by its last apply.
FieldSet last_applied(const data::Json& live, const FieldWriter& writer);
/// Of those, what some other manager owns, too.
bool owned_by_other(const data::Json& live, const FieldWriter& writer, const FieldPath& path);

/// ".spec.ports[port=80].name", as conflicts name fields.
std::string to_string(const FieldPath& path);

}  // namespace kubist::testing
