#pragma once
#include <kubist/engine/node.hpp>
#include <kubist/util/result.hpp>

// Labels and annotations of a namespace switch things on and off for others: Pod Security, webhooks
// of admission, network policies, the tenancy of other systems.
namespace kubist::executors {

/// May a VirtualCluster of that spec label and annotate its namespace of the home cluster so? Free
/// are keys without a domain and what describes an application (app.kubernetes.io/name, ...); all
/// others need Project.spec.home.labels, and kubist.io's are never free. `project`: null, none.
/// Invalid, reason LabelNotAllowed: names all keys that are not. Pure.
util::Result<> check_home_labels(const engine::Node* project, const data::Json& spec);

}  // namespace kubist::executors
