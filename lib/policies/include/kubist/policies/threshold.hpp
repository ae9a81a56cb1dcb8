#pragma once
#include <string_view>

#include <kubist/policies/verdict.hpp>
#include <kubist/stats/counts.hpp>

namespace kubist::policies {

/// A fixed threshold, as Flagger's analysis: a check fails where the success rate of the window is
/// below the minimum, or there was no request; so many failed checks in all roll back. Simple, and
/// blind to how much was seen: a version of 99.5 % fails one check in ten at 20 requests a window.
struct ThresholdParameters {
  double minimum_success = 0.99;
  int failed_checks = 5;  ///< Flagger's `threshold`; counted over the whole canary
};

struct ThresholdState {
  int failed = 0;
};

struct ThresholdDecision {
  Verdict verdict = Verdict::hold;
  std::string_view reason;  ///< Passed, CheckFailed, NoTraffic, or ThresholdFailed
};

ThresholdDecision decide(const ThresholdParameters& parameters, const stats::Counts& canary,
                         ThresholdState& state);

}  // namespace kubist::policies
