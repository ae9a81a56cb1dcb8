#pragma once

#include "keep/namespaces.hpp"
#include "world/workloads.hpp"

namespace kubist::executors {

/// Restarts the Deployments whose pod template does not yet carry the mesh labels that the
/// namespace has: an annotation on the template names them, so this happens once for each change.
util::Result<> restart_workloads(Work& work, const kube::Target& target, const NamespaceWish& wish,
                                 const Workloads& workloads);

}  // namespace kubist::executors
