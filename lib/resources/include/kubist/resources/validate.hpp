#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/data/position.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/util/error.hpp>

namespace kubist::resources {

/// Where an executor or policy is named.
struct CallSite {
  std::string_view kind;  ///< of the object that names it
  std::string_view ns;    ///< its namespace; empty for cluster-scoped kinds
  const NamedCall& call;
  /// Positions by pointers into the call: "/name", "/parameters/x".
  const data::PositionLookup& positions;
  /// On which it runs: the object's kind, or of an imposed policy those that it is imposed on.
  const std::vector<std::string>& kinds;
};

/// What the offline checks may ask of the world. A function that is empty leaves its check out.
struct ValidateContext {
  /// Is there such an object outside the input? Nothing: cannot say, so no error. A Project with an
  /// empty name and `ns` set asks whether any Project owns that namespace.
  std::function<std::optional<bool>(const ObjectRef&)> exists;
  /// The problems of naming this executor, or this policy, so: an unknown name, wrong parameters.
  /// Executors that the input defines are known by themselves and are not asked for. Errors
  /// without a position get that of the name.
  std::function<std::vector<util::Error>(const CallSite&)> check_executor;
  std::function<std::vector<util::Error>(const CallSite&)> check_policy;
  /// The namespace of objects that name none; empty leaves them without.
  std::string default_namespace;
};

/// Every problem of kubist's own objects in the input that can be found without a cluster, in input
/// order: kinds and versions, schema (types, unknown fields with the nearest known one), the rules
/// of the CRDs, references and names, cycles (printed as a cycle). Other groups' kinds pass.
/// Duplicate keys are errors of reading (manifest.hpp). All errors are of kind invalid and have
/// positions.
std::vector<util::Error> validate(const std::vector<Manifest>& manifests,
                                  const ValidateContext& context = {});

/// One object by itself: its kind's schema and rules, its keys, an Execution's items. `old_object`
/// non-null: an update, transition rules apply as well.
std::vector<util::Error> validate_object(const Manifest& manifest,
                                         const data::Json* old_object = nullptr);

}  // namespace kubist::resources
