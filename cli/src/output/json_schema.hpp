#pragma once
#include <kubist/data/json.hpp>

#include "output/kind_schemas.hpp"

namespace kubist::cli {

/// The JSON schema (draft 7) that documents of a kind meet, for editors and checks without a
/// cluster. Fields that the kind does not have are errors, as for a strict server. Rules in CEL and
/// what one object says of another are not in it. From
/// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
data::Json json_schema(const KindSchema& kind);

}  // namespace kubist::cli
