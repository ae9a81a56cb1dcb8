#pragma once
#include <functional>
#include <string>

#include "judges/window_values.hpp"
#include "policy/place.hpp"
#include "policy/release_policy.hpp"

namespace kubist::policies {

/// What one window says.
struct WindowCheck {
  enum class Outcome { pass, fail, inconclusive };
  Outcome outcome = Outcome::inconclusive;
  std::string reason;   ///< of a window that is inconclusive
  std::string message;  ///< the numbers, for people
};

/// Fails where one fails; is inconclusive where one is and none fails; else passes, with the
/// messages of all.
WindowCheck strictest(const std::vector<WindowCheck>& checks);

using CheckWindow = std::function<WindowCheck(const WindowValues& window)>;

/// The parameters of policies that judge window by window: count, failureLimit, threshold,
/// minimumRequests.
Json judge_schema(Json properties);

/// Invalid: failureLimit and threshold that contradict each other.
util::Result<> check_limits(const Json& parameters, const Place& place);

/// Says again what was said of that step before, while its next window is open.
void repeat_decision(Json& list, const Json& kept, int step);

/// Decides by one window after the other: `count` in a row that pass let the release go on; more
/// than `failureLimit` that fail take it back, counted over the whole attempt and also at 100 %;
/// all else holds. A window with fewer than `minimumRequests` of the canary is inconclusive, and so
/// is one that could not be measured.
util::Result<> judge_windows(Json& list, const CheckWindow& check);

}  // namespace kubist::policies
