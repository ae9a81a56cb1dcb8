#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output/kind_schemas.hpp"

namespace kubist::cli {

/// The documents that policies and executors read and write, which no API server has: ResourceList,
/// PolicyRun and the observations. Their schemas are in cli/policy-io.
const std::vector<std::string>& policy_io_names();

/// The schema of that document, by its name in any case; nothing: there is none.
std::optional<KindSchema> find_policy_io(std::string_view name);

}  // namespace kubist::cli
