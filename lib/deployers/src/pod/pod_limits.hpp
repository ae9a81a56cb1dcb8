#pragma once
#include <vector>

#include <kubist/deployers/workload.hpp>

namespace kubist::deployers {

/// The pod in a workload kind of Kubernetes, its metadata and spec; of a Pod the object itself;
/// null where the object has none.
const Json* pod_of(const Json& object);

/// What a pod may not have that no administrator granted: the rules of container items. Denied:
/// PodNotAllowed, AccountNotAllowed; each message begins with the field. Pure.
std::vector<util::Error> pod_problems(const Json& pod, const PodGrants& grants);

/// The Secrets that a pod names. Pure.
std::vector<SecretUse> secrets_used(const Json& pod);

}  // namespace kubist::deployers
