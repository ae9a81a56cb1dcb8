#pragma once
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/data/schema.hpp>

namespace kubist::resources {

/// The CustomResourceDefinitions that `kubist init` applies, in the order of the kinds. Built from
/// the embedded crds/*.yaml on the first call (some milliseconds) and kept; thread-safe.
const std::vector<data::Json>& crds();

/// The CRD of one kind, or null. Reads only that kind's file.
const data::Json* crd(std::string_view group, std::string_view kind);

/// The structural schema (openAPIV3Schema) of one kind, or null: for validate, explain, defaults.
const data::Json* schema(std::string_view group, std::string_view kind);

/// The same compiled, with metadata described as well (CRDs leave that to the server); null for
/// foreign kinds. For validation, defaults and explain. Kept; thread-safe.
const data::Schema* compiled_schema(std::string_view group, std::string_view kind);

}  // namespace kubist::resources
