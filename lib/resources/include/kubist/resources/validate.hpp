#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/error.hpp>

namespace kubist::resources {

/// What the offline checks may ask of the world. Empty functions and lists: that check is left out or,
/// for lookups, answers "unknown", which is no error.
struct ValidateContext {
  /// Is there such an object outside the input? Nothing: cannot say (offline), so no error.
  std::function<std::optional<bool>(const ObjectRef&)> exists;
  /// Names an executor of that kind may have; definitions in the input count by themselves. Empty: not
  /// checked.
  std::function<std::vector<std::string>(std::string_view kind)> executors;
  /// The same for policies, in a namespace (PolicyDefinitions are namespaced).
  std::function<std::vector<std::string>(std::string_view kind, std::string_view ns)> policies;
  /// The namespace of objects that name none; empty leaves them without.
  std::string default_namespace;
};

/// Every problem of kubist's own objects in the input that can be found without a cluster, in input
/// order: schema (types, unknown fields with the nearest known one), duplicate keys, the rules of the
/// CRDs, references and names, cycles (printed as a cycle). Other kinds pass.
std::vector<util::Error> validate(const std::vector<Manifest>& manifests,
                                  const ValidateContext& context = {});

/// One object against its kind's schema and rules alone. `old_object` non-null: an update, transition
/// rules apply as well.
std::vector<util::Error> validate_object(const Manifest& manifest,
                                         const data::Json* old_object = nullptr);

}  // namespace kubist::resources
