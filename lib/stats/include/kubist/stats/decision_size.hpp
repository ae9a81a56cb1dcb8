#pragma once
#include <optional>

#include <kubist/stats/e_process.hpp>

namespace kubist::stats {

/// What a test of a canary will meet.
struct Expectation {
  double canary_rate = 0;   ///< its true failure rate
  double stable_rate = 0;   ///< stable's, also known from its past
  double canary_share = 0;  ///< of all requests; in (0, 1)
};

/// How many canary requests the test needs to reach `threshold` (1/alpha or 1/beta) with
/// probability `quantile` (0.5: the median; 0.95), if stable fails exactly at its rate and the
/// canary binomially. Looking earlier can only end it sooner, so this is slightly too many.
/// Nothing when 10^12 do not suffice: the truth is too near to the line, or beyond it.
std::optional<double> canary_requests_needed(const ETest& test, const Expectation& truth,
                                             double threshold, double quantile);

}  // namespace kubist::stats
