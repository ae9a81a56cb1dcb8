#pragma once
#include <chrono>
#include <optional>
#include <string>

#include <kubist/engine/decision.hpp>
#include <kubist/release/plan.hpp>

#include "policy/function_policy.hpp"

namespace kubist::policies {

/// What the policies of a CanaryRelease read of the ResourceList, see docs/reference/canary.md.
struct ReleaseView {
  std::chrono::system_clock::time_point now;
  std::string state;   ///< status.state
  int weight = 0;      ///< status.weight
  bool moved = false;  ///< the release has begun: 0 is a step of its own, not the routes' weights
  /// In an order of waves: the one that has the weight, from 0, and how many there are. To judge,
  /// each is a step of its own.
  int wave = 0, waves = 1;
  /// Since when the present weight is live on every route; nothing: it is not yet.
  std::optional<std::chrono::system_clock::time_point> observed_at;
  bool target_ready = false;
  std::string target;  ///< what there is to release now
  std::string target_message;
};

/// Invalid: functionConfig.now is no time.
util::Result<ReleaseView> read_release(const Json& list);
bool is_release(const Json& list);
/// No step is to come: it has ended, or rolls back.
bool is_over(const ReleaseView& view);

/// Tells the steps of an attempt apart, as states keep them: the weight, and for waves behind the
/// first one a number above all weights.
int step_key(const ReleaseView& view);
int step_key(int weight, int wave);
/// The weight after this step: the same one while there are waves to come.
int next_weight(const ReleaseView& view, const release::Plan& plan);

/// Is there a weight to be judged? Else it says so: while one is on its way as a hold; without a
/// decision before the first one, which lets the release begin, and when the release is over.
bool is_live(Json& list, const ReleaseView& view);

/// Sets the decision, and its reason as the outcome.
void decide(Json& list, engine::Action action, const std::string& reason,
            const std::string& message);

/// A parameter that is a duration; the schema gives its default.
util::Result<std::chrono::nanoseconds> duration_parameter(const Json& list, std::string_view name);

}  // namespace kubist::policies
