#pragma once
#include <optional>

namespace kubist::stats {

/// An asymptotic confidence sequence for a running mean: intervals that hold at all looks together
/// with probability 1 - alpha once there are enough values (some 20). For means of windows, such as
/// the difference of two mean latencies.
/// Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, "Time-uniform central limit theory and asymptotic
/// confidence sequences", 2024, theorem 2.2 and appendix B.2.
struct MeanSequence {
  double n = 0;
  double mean = 0;
  double scatter = 0;  ///< sum of squared deviations (Welford)

  void add(double value);
  /// Half the width of the two-sided interval around `mean`; it is narrowest relative to others
  /// near `best_at` values. Nothing before `minimum` values.
  std::optional<double> half_width(double alpha, double best_at = 50, int minimum = 20) const;
  /// The always-valid p-value of "the mean is 0": the smallest level whose two-sided interval,
  /// mixed as for `alpha` and `best_at`, leaves 0 out. 1 before `minimum` values.
  double p_value(double alpha, double best_at = 50, int minimum = 20) const;
};

/// The difference of the means of two groups whose growth depends on what was seen of them
/// (adaptive assignment): each has a sequence of its own at alpha / 2, so half the width is the sum
/// of both. Wider than a sequence of the difference, and true however the values were assigned.
std::optional<double> separate_half_width(const MeanSequence& a, const MeanSequence& b,
                                          double alpha, double best_at = 50, int minimum = 20);
/// The always-valid p-value of "both means are the same" that goes with it.
double separate_p_value(const MeanSequence& a, const MeanSequence& b, double alpha,
                        double best_at = 50, int minimum = 20);

}  // namespace kubist::stats
