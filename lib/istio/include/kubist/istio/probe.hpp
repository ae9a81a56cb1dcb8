#pragma once
#include <stop_token>
#include <string>

#include <kubist/istio/evidence.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::istio {

/// Asks the webhook of a revision to refuse a Gateway that says so itself, as istiod does before it
/// closes the webhook (pkg/webhooks/validation/controller). Always with dryRun=All: nothing is
/// stored. `version` is the served version of networking.istio.io.
Probe probe_validation(kube::Client& client, const std::string& version, const std::string& ns,
                       const std::string& revision, const std::stop_token& stop = {});

/// What the answer to that request means; pure.
Probe::Outcome classify_probe(const util::Result<kube::Reply>& reply);

}  // namespace kubist::istio
