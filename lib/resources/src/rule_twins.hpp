#pragma once
#include <string_view>

#include <kubist/data/json.hpp>

namespace kubist::resources {

/// Does `self` keep the rule? `old_self` is null on creation. `self` has the type that the schema
/// says, its fields may have any.
using RuleTwin = bool (*)(const data::Json& self, const data::Json* old_self);

/// The twin of the CEL rule with that message, or null.
RuleTwin find_rule_twin(std::string_view message);

}  // namespace kubist::resources
