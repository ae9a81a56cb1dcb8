#pragma once
#include <span>

#include <kubist/stats/counts.hpp>

/// Tests for one evaluation of a number fixed beforehand. Evaluated again and again they abort good
/// versions (see docs/background/statistics.md): e_process.hpp is for that.
namespace kubist::stats {

struct TestResult {
  double statistic = 0;
  double greater = 1;    ///< p-value against "the first is not greater"
  double two_sided = 1;  ///< p-value against "they are equal"
};

/// The z-test of two proportions with pooled variance; first = canary. p = 1 where nothing can be
/// said: an empty arm, or no variance.
TestResult proportions_z_test(const Counts& canary, const Counts& stable);

/// Mean and variance of a sample.
struct Moments {
  double n = 0;
  double mean = 0;
  double variance = 0;  ///< with n - 1
};
Moments moments(std::span<const double> sample);

struct WelchResult : TestResult {
  double freedom = 0;  ///< Welch and Satterthwaite's degrees of freedom
};
/// Welch's t-test of two means with unequal variances (Welch, 1947). p = 1 where a sample has fewer
/// than two values or neither has variance.
WelchResult welch_t_test(const Moments& first, const Moments& second);

/// The Mann-Whitney U test, asymptotic, corrected for ties and for continuity, as SciPy's
/// mannwhitneyu(method="asymptotic"). `statistic` is U of the first sample. Both samples sorted
/// ascending, without NaN. p = 1 where one is empty or all values are equal.
TestResult mann_whitney_sorted(std::span<const double> first, std::span<const double> second);

}  // namespace kubist::stats
