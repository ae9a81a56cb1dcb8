#pragma once
#include <chrono>
#include <optional>
#include <string>

#include <kubist/engine/decision.hpp>

#include "function_policy.hpp"

namespace kubist::policies {

/// What the policies of a CanaryRelease read of the ResourceList, see docs/canary.md.
struct ReleaseView {
  std::chrono::system_clock::time_point now;
  std::string state;  ///< status.state
  int weight = 0;     ///< status.weight
  /// Since when the present weight is live on every route; nothing: it is not yet.
  std::optional<std::chrono::system_clock::time_point> observed_at;
  bool target_ready = false;
  std::string target_message;
};

/// Invalid: functionConfig.now is no time.
util::Result<ReleaseView> read_release(const Json& list);
bool is_release(const Json& list);

/// Sets the decision, and its reason as the outcome.
void decide(Json& list, engine::Action action, const std::string& reason,
            const std::string& message);

/// A parameter that is a duration; the schema gives its default.
util::Result<std::chrono::nanoseconds> duration_parameter(const Json& list, std::string_view name);

}  // namespace kubist::policies
