#pragma once
#include <string>
#include <vector>

#include <kubist/istio/evidence.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::istio {

/// A pod as an injector would take it.
struct Sample {
  std::string ns;
  data::Json labels;
};

/// One for each webhook of these that takes pods of a namespace that exists, and one in `ns` that
/// asks for the revision by its labels, whatever webhooks there were before.
std::vector<Sample> samples_of(const std::vector<WebhookConfig>& injectors,
                               const std::vector<NamespaceLabels>& namespaces,
                               const std::string& ns, const std::string& revision);

/// What became of a pod that was created as a server dry run.
enum class Trial {
  untouched,  ///< created, and not by that revision injected
  injected,
  webhook_failed,  ///< a webhook of Istio is still called, and does not answer
  refused,         ///< something else refuses it: nothing is known
};
/// Pure.
Trial classify_trial(const util::Result<kube::Reply>& reply, const std::string& revision);

/// Creates it, always with dryRun=All. `message` becomes that of a refusal.
Trial try_injection(kube::Client& client, const Sample& sample, const std::string& revision,
                    std::string& message, const std::stop_token& stop);

}  // namespace kubist::istio
