#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

namespace kubist::resources {

/// A rule of a CRD (x-kubernetes-validations) that an object breaks.
struct RuleViolation {
  std::string pointer;  ///< JSON pointer of the value at fault
  std::string message;  ///< as the CRD says it
};

/// Evaluates the rules of a structural schema on a value with their C++ twins: the API server runs
/// the CEL text, offline checks run the twin, shared test cases hold the two together. `old_value`
/// null: a creation, transition rules do not apply.
std::vector<RuleViolation> check_rules(const data::Json& schema, const data::Json& value,
                                       const data::Json* old_value);

/// CEL texts in a schema that have no twin: offline checks leave them to the server and say so.
std::vector<std::string> rules_without_twin(const data::Json& schema);

}  // namespace kubist::resources
