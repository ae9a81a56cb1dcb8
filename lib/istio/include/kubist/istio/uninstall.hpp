#pragma once
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/istio/evidence.hpp>
#include <kubist/istio/preflight.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::istio {

struct UninstallOptions {
  std::string ns;  ///< of the control plane; empty: wherever the revision is recorded
  std::string revision{k_default_revision};
  bool purge = false;  ///< the CRDs too, and with them all configuration of Istio
  bool force = false;  ///< although namespaces or proxies still use it
  kube::DryRun dry_run = kube::DryRun::none;
  /// For waiting, on each step.
  std::chrono::nanoseconds timeout = std::chrono::minutes(5);
  std::function<void(std::string_view step)> on_step;
  std::function<void(const apply::ObjectResult& result)> on_result;
  std::function<void(std::string_view text)> on_progress;
};

/// What an uninstallation did.
struct UninstallOutcome {
  std::vector<Obstacle> obstacles;  ///< not empty: nothing was written
  apply::Report removed;
  std::vector<std::string> notes;  ///< what stays on purpose
};

/// Takes out what install() recorded for a revision: first every webhook that leads to it, revision
/// tags included; then it proves by dry runs that the API server no longer has pods injected (it
/// keeps webhooks in a cache); then gateways, ztunnel, the CNI plugin, istiod, and the rest. So
/// there is no moment at which a webhook is there and istiod is not. CRDs and configuration stay
/// unless `purge`; namespaces stay, and what istiod made at run time (its CA above all: a later
/// install goes on with it).
///
/// An object is deleted only where its label, its uid and the record agree, and no other revision
/// has it too. It may be killed at any moment: the next run goes on; one that finds nothing left
/// writes nothing.
///
/// Obstacle codes: unknown:CODE, in-use:NAMESPACE, proxies:N, foreign-webhook:NAME (these three not
/// with `force`), other-revision:REVISION (purge), forbidden:VERB RESOURCE.
///
/// Errors: not_found (a control plane is there that kubist did not install), not_ready or timeout
/// with what was waited for, forbidden, unavailable, cancelled. What was done until then stays.
util::Result<UninstallOutcome> uninstall(kube::Client& client, const UninstallOptions& options,
                                         const std::stop_token& stop = {});

}  // namespace kubist::istio
