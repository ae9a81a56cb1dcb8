#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <kubist/stats/e_value.hpp>

namespace kubist::stats {

/// A process mixes at most so many alternatives.
inline constexpr std::size_t k_max_alternatives = 8;

/// On which side of the line the alternative lies.
enum class Side {
  above,  ///< null p_c <= m * p_s + d; evidence says that the canary is worse: abort
  below,  ///< null p_c >= m * p_s + d; evidence says that it is better than that: promote
};

/// What is tested; fixed while a process runs. The alternatives are the lines at these distances
/// from the null's: tc_j = m * ts + d + D_j above it, or - D_j below it.
struct ETest {
  Side side = Side::above;
  Margin margin;
  std::array<double, k_max_alternatives> distances{};  ///< D_j > 0, as shares of 1
  std::size_t alternatives = 0;                        ///< how many of them are used
};

/// Is the canary worse than `margin` allows? Alternatives 0.5, 1, 2, 4, 8, 16, 32 and 64 points
/// above it.
ETest worse_than(const Margin& margin);
/// Is the canary's excess over slope * p_s + offset surely less than `allowed`? Alternatives: none
/// of it, a quarter and half of it. `margin.offset` is what is allowed anyway (0 in a comparison).
ETest better_than(const Margin& margin, double allowed);

/// One logarithm for each alternative of a test.
using LogTerms = std::array<double, k_max_alternatives>;

/// ln e_tj of one window. `past` are stable's counts of earlier windows and of the time before the
/// canary, never of this window: they set where the alternatives lie. Alternatives that the rates'
/// bounds leave no room for count e = 1.
LogTerms log_e_values(const ETest& test, const Window& window, const Counts& past);

/// The two-sample e-process: E_T, the mean over alternatives of the products over windows. A value
/// type; its state is one double an alternative. P(E_T ever reaches 1/alpha) <= alpha under the
/// null, at any stopping time (Ville's inequality).
struct EProcess {
  LogTerms log_products{};
  void add(const LogTerms& terms);
  /// ln E_T over the first `alternatives`.
  double log_value(std::size_t alternatives) const;
};

/// One process for each step of a rollout, so that harm that begins late is not outweighed by the
/// good time before: E = (1/S) * (sum over the S planned steps), a step not yet begun counting 1.
/// No weight is ever reset or spent twice. Shin, Ramdas, Rinaldo, "E-detectors", 2024.
struct RestartedEProcess {
  std::vector<EProcess> processes;  ///< of the steps that have begun, in order

  /// Begins processes until that of `step` (from 0) runs; an earlier or the same step changes
  /// nothing.
  void begin(std::size_t step);
  /// Adds one window to all that run.
  void add(const LogTerms& terms);
};

/// ln E of several clusters' processes of one metric, over `planned` steps. Within a step half is
/// on the product over clusters (all of them are a little worse) and half on their mean (one is
/// much worse); then the mean over steps. The clusters' requests are independent given the past.
/// All have begun the same steps; at most `planned`.
double log_joint_value(std::span<const RestartedEProcess> clusters, std::size_t alternatives,
                       std::size_t planned);

/// ln sum_i weights_i * exp(logs_i): e-values of several metrics as one, whatever their dependence,
/// when the weights are at least 0 and sum to 1.
double log_weighted_sum(std::span<const double> logs, std::span<const double> weights);

/// Always-valid p: min(1, 1 / max E), from the largest ln E seen so far.
double always_valid_p(double largest_log_e);

}  // namespace kubist::stats
