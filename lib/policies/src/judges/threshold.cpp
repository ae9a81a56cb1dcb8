#include <kubist/policies/threshold.hpp>

namespace kubist::policies {

ThresholdDecision decide(const ThresholdParameters& parameters, const stats::Counts& canary,
                         ThresholdState& state) {
  if (canary.n > 0 && (canary.n - canary.k) / canary.n >= parameters.minimum_success) {
    return {Verdict::advance, reason::k_passed};
  }
  state.failed += 1;
  if (state.failed >= parameters.failed_checks) {
    return {Verdict::rollback, reason::k_threshold_failed};
  }
  return {Verdict::hold, canary.n > 0 ? reason::k_check_failed : reason::k_no_traffic};
}

}  // namespace kubist::policies
