#pragma once
#include <kubist/data/json.hpp>

namespace kubist::kube {

/// What a schema (OpenAPI v3, or of a CRD) says of names of fields, as a schema of its own:
/// properties, items, values of maps, references to other components ("#/schemas/NAME"), and where
/// any field is taken. Alternatives are left out: in structural schemas they add no fields.
data::Json field_names(const data::Json& schema);

/// The same for a whole OpenAPI v3 document: {"kinds": {KIND: COMPONENT}, "schemas": {COMPONENT:
/// ...}}, with only the kinds of that group and version.
data::Json field_names_of_document(const data::Json& document, std::string_view group,
                                   std::string_view version);

}  // namespace kubist::kube
