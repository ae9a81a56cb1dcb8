#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

/// Schemas of what CRDs leave free, and the names that kubist knows.
namespace kubist::testing {

/// Of one item of an Execution, whose fields are those of a container item's config, too.
const data::Json& execution_item_schema();
/// Of spec.config of a DeployItem of that type.
const data::Json& manifest_config_schema();
const data::Json& helm_config_schema();
const data::Json& mock_config_schema();

/// Built-in policies, twice as often as what is none.
const std::vector<std::string>& policy_names();
/// Annotations that kubist, or landscaper, reads or writes.
const std::vector<std::string>& annotation_keys();

}  // namespace kubist::testing
