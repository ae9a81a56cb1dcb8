#include "steps/steps_refused.hpp"

#include <kubist/util/text.hpp>

namespace kubist::policies {

util::Result<> check_refused(const data::Json& step, const std::string& where, const Place& place) {
  constexpr std::string_view k_scale = "setCanaryScale";
  if (!step.contains(k_scale)) {
    return {};
  }
  return (place / k_scale)
      .key()
      .fail(util::cat(where,
                      ": setCanaryScale is not supported: a release does not write Deployments"),
            "Set the replicas of the canary's Deployment, let a HorizontalPodAutoscaler do it, or "
            "what a "
            "webhook step calls: each weight waits until all pods that it asks for are ready.");
}

}  // namespace kubist::policies
