#pragma once
#include <string>
#include <vector>

#include <kubist/deployers/workload.hpp>

namespace kubist::deployers {

/// The pod's spec in a Pod or in a workload kind of Kubernetes; null where the object has none.
const Json* pod_spec_of(const Json& object);

/// What a pod may not have that no administrator granted: the rules of container items. Each is the
/// field and why. `accounts`: whose tokens it may have besides the one of `default`, a trailing *
/// stands for any text. Pure.
std::vector<std::string> pod_problems(const Json& pod_spec,
                                      const std::vector<std::string>& accounts);

/// The Secrets that a pod names. Pure.
std::vector<SecretUse> secrets_used(const Json& pod_spec);

}  // namespace kubist::deployers
