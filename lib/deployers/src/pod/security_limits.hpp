#pragma once
#include <string>
#include <vector>

#include <kubist/deployers/workload.hpp>

// Pod Security's profile "baseline", as far as securityContexts go, and no profiles of the node:
// https://kubernetes.io/docs/concepts/security/pod-security-standards/
namespace kubist::deployers {

/// Why a pod may not have that. Denied, reason PodNotAllowed; `grant` is the field of
/// Project.spec.items that allows it.
util::Error pod_not_allowed(std::string message, std::string_view grant);

/// What the securityContext (null: none) of a pod or a container asks for and `grants` does not
/// have. `where`: the field that it stands in. Each problem: pod_not_allowed(). Pure.
void check_security(const Json& context, const std::string& where, const PodGrants& grants,
                    std::vector<util::Error>& found);

/// The same of a pod's annotations: AppArmor's profiles, as they were named before Kubernetes 1.30,
/// and those by which Istio's injection gives the pod what it must not have.
void check_annotations(const Json& annotations, const PodGrants& grants,
                       std::vector<util::Error>& found);

/// The same of a container or script item, all of it in one error.
util::Result<> check_security(const Workload& workload, const PodGrants& grants);

}  // namespace kubist::deployers
