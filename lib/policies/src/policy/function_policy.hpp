#pragma once
#include <functional>
#include <string>

#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

using data::Json;

/// A policy's work: changes the ResourceList in place.
using PolicyFunction = std::function<util::Result<>(Json& list)>;

/// What a built-in says of itself.
struct BuiltinText {
  std::string name;
  std::string summary;
  std::string doc;
  Json parameters;  ///< JSON schema
  bool wants_now = false;
  std::vector<std::string> kinds = {};  ///< that it may be used on; empty: all
  engine::Queries metrics = {};         ///< that it gets, see PolicyDefinition
  bool wants_approvals = false;
  std::function<engine::Queries(const Json& parameters)> queries = {};  ///< the same
  engine::ParameterCheck check = {};                                    ///< the same
  std::function<bool(const Json& parameters)> calls_jobs = {};          ///< the same
};

/// Makes the record of a built-in policy from its text and its function.
Builtin make_builtin(BuiltinText text, std::vector<std::string> aliases, PolicyFunction function);

/// The parts of a ResourceList that a function works with.
const Json& parameters_of(const Json& list);
/// What this policy returned as its state last time; an empty object where that is no object: it
/// stands in a status, which others may write.
Json state_of(const Json& list);
Json& resource_of(Json& list);

/// Sets status {outcome, requeueAfter} of the PolicyRun, and one result of severity info.
void set_outcome(Json& list, const std::string& outcome, const std::string& message);
void set_requeue(Json& list, std::chrono::seconds after);

/// Applies a JSON Patch to items[0]; paths must lie at or below /spec. Missing parents of an `add`
/// below /spec are not made: RFC 6902 applies as it stands.
util::Result<> patch_resource(Json& list, const Json& patch);

/// The schema of a JSON Patch, for parameters.
Json patch_schema(const std::string& description);

}  // namespace kubist::policies
