#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/istio/bundle.hpp>
#include <kubist/istio/evidence.hpp>
#include <kubist/istio/versions.hpp>
#include <kubist/kube/client.hpp>

/// What stands in the way of installing a bundle, found before the first write.
namespace kubist::istio {

/// One reason not to begin.
struct Obstacle {
  std::string code;     ///< for programs: "foreign-owner:Helm", "forbidden:create clusterroles..."
  std::string message;  ///< for people
  std::string next;
};

struct PreflightOptions {
  bool adopt = false;  ///< take over what istioctl, Helm or somebody else installed
};

/// What the cluster's evidence says against it. Pure. Codes:
///   unknown:CODE              a question about the cluster was not answered
///   k8s-unsupported           Kubernetes is outside of what the release is made for
///   version-jump              more than one minor version up or down in place
///   foreign-owner:WHO         another installer keeps that control plane (not with `adopt`)
///   selector-changed          the Deployment's selector differs, which Kubernetes refuses to
///   change injector-overlap          its injector and one that is there would take the same pods
///   namespace-terminating:NS  the namespace is being deleted
std::vector<Obstacle> find_obstacles(const Bundle& bundle, const Evidence& evidence,
                                     const SupportTable& support = built_in_support(),
                                     const PreflightOptions& options = {});

/// The rights that applying it takes: get, create and patch of every kind in it, where they lie.
/// Kinds by `index`, those of its own CRDs by the CRDs. not_found: a kind that neither has. Pure.
util::Result<std::vector<kube::AccessQuestion>> needed_rights(const Bundle& bundle,
                                                              const kube::ResourceIndex& index);

/// Asks the API server: those rights by SelfSubjectAccessReview, at most some at a time, and each
/// ClusterRole by a server dry run, since who makes one needs all that it grants (or `escalate`).
/// Codes `forbidden:VERB RESOURCE` and `escalation:NAME`. Fails where the server cannot be asked.
util::Result<std::vector<Obstacle>> check_rights(kube::Client& client, const Bundle& bundle,
                                                 const std::stop_token& stop = {});

}  // namespace kubist::istio
