#pragma once
#include <string>
#include <vector>

#include <kubist/istio/uninstall.hpp>

#include "evidence/recorded.hpp"

namespace kubist::istio {

/// A webhook configuration that has to go before istiod does.
struct LeadingWebhook {
  std::string name;
  bool ours = false;  ///< recorded and unchanged, or a revision tag
  apply::Target target;
};

/// Every one that leads to that revision's istiod or is recorded, tags and defaults first: the
/// revision's own last.
util::Result<std::vector<LeadingWebhook>> leading_webhooks(
    kube::Client& client, const Evidence& evidence, const std::vector<apply::Owned>& recorded,
    const Record& record, const std::stop_token& stop);

/// Who still needs it but what goes with it, and what is not known. Pure.
std::vector<Obstacle> uses_of(const Evidence& evidence, const Record& record,
                              const std::vector<apply::Owned>& going,
                              const std::vector<LeadingWebhook>& webhooks, bool force);

/// Returns when three rounds of dry runs in a row, half a second apart, saw no pod injected and no
/// configuration checked: API servers keep webhooks in a cache. `evidence` is from before the
/// webhooks went. Errors: timeout; forbidden, where no dry run gives an answer.
util::Result<> prove_webhooks_gone(kube::Client& client, const Evidence& evidence,
                                   const Record& record, const UninstallOptions& options,
                                   const std::stop_token& stop);

}  // namespace kubist::istio
