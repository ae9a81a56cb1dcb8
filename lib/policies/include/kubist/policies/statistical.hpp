#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/policies/verdict.hpp>
#include <kubist/stats/design_effect.hpp>
#include <kubist/stats/e_process.hpp>
#include <kubist/util/result.hpp>

/// The statistical policy as a pure function over counts; docs/background/statistics.md has the
/// reasoning and what it was measured to do. All of it is for one thread at a time per state.
namespace kubist::policies {

/// One failure rate that is judged: errors, or requests slower than a bound. All rates, tolerances
/// and margins are shares of 1.
struct StatisticalMetric {
  std::string name;
  double share = 1;          ///< of alpha; those of all metrics sum to 1
  double slope = 1;          ///< allowed p_c <= slope * p_s + tolerance
  double tolerance = 0.005;  ///< half a point
  /// Judge the canary against only this rate, whatever stable does: objectives, mirrored traffic,
  /// steps by header. slope and tolerance mean nothing then.
  std::optional<double> limit;
};

struct StatisticalParameters {
  std::vector<StatisticalMetric> metrics{{.name = "errors"}};
  std::size_t clusters = 1;
  std::size_t steps = 5;         ///< planned, with the one at 100 %
  double alpha = 0.05;           ///< the chance that a good canary is ever aborted
  double beta = 0.05;            ///< the chance that one which spends the budget is promoted
  double budget = 0.01;          ///< the share of all requests that may fail more than with stable
  double minimum_requests = 50;  ///< of the canary, on each cluster, before a step is left
  int minimum_windows = 3;
  int dropped_windows = 1;  ///< at the start of a step: they span the change of weights
  std::chrono::seconds hold_limit{30 * 60};  ///< at one step, then rolled back
  std::chrono::seconds bake{5 * 60};         ///< at 100 %, with the abort armed
  /// false: watch only. The verdict is rollback (harm) or hold, never advance, without any limit;
  /// for rollouts whose pace is somebody else's.
  bool prove = true;
};

/// Fails with invalid, naming the parameter: shares that do not sum to 1, a probability outside
/// (0, 1), or more metrics and clusters than 16 KiB of state hold.
util::Result<> check_parameters(const StatisticalParameters& parameters);

/// What is seen at one evaluation: the time since the last evaluation, on every cluster.
struct StatisticalLook {
  std::size_t step = 0;             ///< from 0; never goes back
  double weight = 0;                ///< the canary's, in (0, 1]; 1 is the bake
  double next_weight = 0;           ///< of the step after this one; means nothing at 1
  std::chrono::seconds at_step{0};  ///< how long the weights have been this step's
  /// Differences of counters since the last evaluation: metric 0 on cluster 0, on cluster 1, ...
  /// then metric 1; metrics * clusters in all.
  std::span<const stats::Window> windows;
};

/// What is known of one metric on one cluster.
struct SeriesState {
  stats::Overdispersion stable;  ///< its windows so far: rate and how bursty it is
  stats::EProcess proof;         ///< of this step: that the next weight stays in the budget
  stats::Window step;            ///< this step's counts, without dropped windows
};

/// What is carried from look to look; statistical_state.hpp writes and reads it.
struct StatisticalState {
  std::size_t step = 0;
  int windows = 0;                               ///< of this step, with the dropped ones
  double largest_log_e = 0;                      ///< of the combined abort test
  std::vector<SeriesState> series;               ///< as StatisticalLook::windows
  std::vector<stats::RestartedEProcess> aborts;  ///< the same order
};

/// A state that knows nothing. Then observe_past() for each window before the canary.
StatisticalState initial_state(const StatisticalParameters& parameters);
/// A window of only stable, from the time before the canary. From 30 of them on bursts are known;
/// rare ones (of 5 % at a rate of 0.1 %) take some 240, two hours at 30 s.
void observe_past(StatisticalState& state, std::size_t series, const stats::Counts& stable);

/// The numbers behind a decision. `metric` and `cluster` name the series that decided: the one with
/// the strongest evidence of harm, or else the one that has proved least.
struct StatisticalEvidence {
  double log_e = 0;        ///< ln E of the abort test; aborts at ln(1 / alpha)
  double p_value = 1;      ///< always valid: 1 / the largest E so far
  double log_proof = 0;    ///< ln E that the next weight stays in the budget; ln(1 / beta) suffices
  double allowed = 0;      ///< the excess that is to be disproved: budget / next weight
  double correlation = 0;  ///< of requests within a window, by which counts were deflated
  std::size_t metric = 0;
  std::size_t cluster = 0;
  stats::Window step;  ///< counts of this step, as they came
};

struct StatisticalDecision {
  Verdict verdict = Verdict::hold;
  std::string_view reason;
  StatisticalEvidence evidence;
};

/// Takes one evaluation into the state and judges. Harm is judged at every evaluation (Ville's
/// inequality allows it); a step is left only after minimum_requests, minimum_windows and the proof
/// on every metric and cluster. The state must be of the same parameters.
StatisticalDecision decide(const StatisticalParameters& parameters, const StatisticalLook& look,
                           StatisticalState& state);

/// The decision in one sentence, with its numbers.
std::string explain(const StatisticalParameters& parameters, const StatisticalDecision& decision);

/// How many canary requests a version as good as stable needs to leave a step for `next_weight`,
/// with probability `quantile`: for "692 canary requests at 0.02/s: 9 h 40 min". At least
/// minimum_requests; of the metric that needs most. `stable_rates` has one for each metric.
/// Nothing where no number suffices (an absolute limit that stable itself does not keep).
std::optional<double> requests_to_leave(const StatisticalParameters& parameters,
                                        std::span<const double> stable_rates, double weight,
                                        double next_weight, double quantile);

}  // namespace kubist::policies
