#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/release/experiment_plan.hpp>
#include <kubist/stats/tests.hpp>
#include <kubist/util/result.hpp>

namespace kubist::experiment {

/// What was counted of one variant for one goal: values, their sum, and the sum of their squares
/// (of a conversion each value is 0 or 1). Counters: they only grow, and their differences add up.
struct Totals {
  double n = 0, sum = 0, squares = 0;
  bool operator==(const Totals&) const = default;
};

/// Can values have these totals? Numbers that only somebody's hand can have written, as a status
/// has them, or a source that counts nonsense, have no posterior to draw from.
bool are_plausible(const Totals& totals, GoalKind kind);

/// The totals of `n` values with this mean and (sample) standard deviation.
Totals totals_of(double n, double mean, double deviation);

/// The fields of a goal's source in the order in which they are read, the samples last: what comes
/// in between makes a rate too small, never above 1.
std::span<const std::string_view> fields_of(GoalKind kind);
/// The totals of what these fields gave. REQUIRES: a value for each. Invalid, reason NotPlausible:
/// more successes than samples, or fewer than none, or a number without end.
util::Result<Totals> read_totals(GoalKind kind, const std::vector<double>& values);

/// Mean and (sample) variance of them. A rate that was never seen to fail, or to succeed, is not
/// known to be 0 or 1: its variance is that of the shrunk rate.
stats::Moments moments_of(const Totals& totals, GoalKind kind);

/// A variant's difference to the control.
struct Comparison {
  double difference = 0;
  /// The interval of the difference; nothing where there is none yet.
  std::optional<double> low, high;
  double p = 1;
};

/// One line of the report.
struct Row {
  std::string variant;
  double n = 0;
  double value = 0;                   ///< rate or mean; 0 where n is 0
  std::optional<Comparison> control;  ///< to the control; nothing of the control itself
};

struct GoalReport {
  std::string goal;
  std::vector<Row> rows;  ///< in the variants' order
};

enum class Verdict {
  undecided,
  winner,         ///< better than the control; or the control, where all others are worse
  no_difference,  ///< of a Welch test with all its samples
};

struct Judgement {
  Verdict verdict = Verdict::undecided;
  std::string winner;  ///< a variant's name
  std::string reason;  ///< TooFew, Collecting, Winner, NoDifference
  std::string message;
  std::vector<GoalReport> report;
};

/// Judges totals[goal][variant], as the plan has them. Pure. Only the first goal decides; of the
/// others the intervals are shown. alpha is shared among the comparisons with the control
/// (Bonferroni, 1936), so that the chance of any false winner is at most alpha.
///
/// anytime: difference of means with variance V = s1^2/n1 + s2^2/n2, in the confidence sequence of
/// stats/confidence_sequence.hpp over all n1 + n2 values; holds at all looks together,
/// approximately (a central limit theorem: from the plan's minimum of samples on). With an adaptive
/// assignment (thompson) each variant's mean is in a sequence of its own. welch: nothing
/// is tested before every variant has the plan's samples: looking again and again would find a
/// winner where there is none.
Judgement judge(const Plan& plan, const std::vector<std::vector<Totals>>& totals);

}  // namespace kubist::experiment
