#pragma once
#include <optional>
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

/// One error of all that stands in the way, each a detail of it; conflict where another owner holds
/// something, else invalid.
util::Error refusal(const std::vector<Obstacle>& obstacles);

struct PreflightOptions {
  bool adopt = false;    ///< take over what istioctl, Helm or somebody else installed
  bool rescale = false;  ///< as InstallOptions has it: then it is no obstacle
};

/// What the cluster's evidence says against it. Pure. Codes:
///   unknown:CODE              a question about the cluster was not answered
///   k8s-unsupported           Kubernetes is outside of what the release is made for
///   version-jump              more than one minor version up or down in place
///   foreign-owner:WHO         another installer keeps that control plane (not with `adopt`)
///   selector-changed          the Deployment's selector differs, which Kubernetes refuses to
///   change injector-overlap          its injector and one that is there would take the same pods
///   istiod-not-ready:scaled-to-0  it is, and the bundle does not say how many replicas it wants
///   namespace-terminating:NS  the namespace is being deleted
std::vector<Obstacle> find_obstacles(const Bundle& bundle, const Evidence& evidence,
                                     const SupportTable& support = built_in_support(),
                                     const PreflightOptions& options = {});

/// The rights that applying it takes: get, create and patch of every kind in it, where they lie.
/// Kinds by `index`, those of its own CRDs by the CRDs. not_found: a kind that neither has. Pure.
util::Result<std::vector<kube::AccessQuestion>> needed_rights(const Bundle& bundle,
                                                              const kube::ResourceIndex& index);

/// What Kubernetes would refuse to change, and istiod's own Deployment (find_obstacles()) is not:
///   stored-version:CRD            objects may be stored in a version that the bundle's CRD lacks
///   selector-changed:KIND/NAME    another selector of a Deployment or DaemonSet
///   role-changed:KIND/NAME        a binding to another role
util::Result<std::vector<Obstacle>> check_immutable(kube::Client& client, const Bundle& bundle,
                                                    const std::stop_token& stop = {});
/// The same of one object of the bundle and its live state; nothing: it may change so. Pure.
std::optional<Obstacle> find_immutable(const data::Json& wanted, const data::Json& live);

/// Those of the rights that the caller has not, by SelfSubjectAccessReview: `forbidden:VERB
/// RESOURCE`.
util::Result<std::vector<Obstacle>> refused_rights(
    kube::Client& client, const std::vector<kube::AccessQuestion>& questions,
    const std::stop_token& stop = {});

/// Asks the API server: those rights by SelfSubjectAccessReview, at most some at a time, and each
/// ClusterRole by a server dry run, since who makes one needs all that it grants (or `escalate`).
/// Codes `forbidden:VERB RESOURCE` and `escalation:NAME`. Fails where the server cannot be asked.
util::Result<std::vector<Obstacle>> check_rights(kube::Client& client, const Bundle& bundle,
                                                 const std::stop_token& stop = {});

}  // namespace kubist::istio
