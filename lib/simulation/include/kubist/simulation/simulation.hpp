#pragma once
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/policies/statistical.hpp>
#include <kubist/policies/threshold.hpp>
#include <kubist/simulation/simulated_traffic.hpp>

/// Canaries that never ran: only a test against a traffic model, many times, without a release
/// around it. Whole releases: release_simulation.hpp.
namespace kubist::simulation {

/// How the weights move.
struct RolloutModel {
  std::vector<double> weights{0.05, 0.1, 0.25, 0.5, 1};
  /// With one weight: it grows linearly to this at the last evaluation. 0: it stays.
  double final_weight = 0;
  int looks = 500;  ///< then the canary is given up, undecided
  /// A step is left after so many windows; 0: when the policy says so.
  int step_windows = 0;
};

enum class Judge {
  statistical,   ///< policies/statistical.hpp
  threshold,     ///< policies/threshold.hpp
  z_test,        ///< aborts when a z-test of all counts so far is below alpha at some look
  mann_whitney,  ///< as Kayenta: the windows' rates by Mann-Whitney at 98 % two-sided, every
                 ///< evaluation
};

struct Simulation {
  TrafficModel traffic;
  RolloutModel rollout;
  Judge judge = Judge::statistical;
  /// Its alpha is the z-test's too; steps are the rollout's.
  policies::StatisticalParameters statistical;
  policies::ThresholdParameters threshold;
  int runs = 10000;
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0: as many as there are processors; the result is the same for any
};

enum class Ending {
  aborted,    ///< rolled back by a verdict
  promoted,   ///< left the last step
  undecided,  ///< neither by the last evaluation, or rolled back because a step lasted too long
};

struct SimulatedRun {
  Ending ending = Ending::undecided;
  std::string reason;  ///< CamelCase: why it ended so
  int looks = 0;
  double seconds = 0;
  double canary_requests = 0;  ///< since the canary is bad (TrafficModel::bad_from)
  double requests = 0;         ///< of both versions, in all
  double extra_failures = 0;   ///< of the canary beyond what stable's rate gives
};

/// All runs, in order. Needs check_simulation(). Uses threads of its own until it returns; a stop
/// request ends it early, with fewer runs.
std::vector<SimulatedRun> simulate(const Simulation& simulation, const std::stop_token& stop);

/// Fails with invalid, naming what is out of range.
util::Result<> check_traffic(const TrafficModel& traffic);
util::Result<> check_simulation(const Simulation& simulation);

/// Two order statistics; nothing where so few runs ended that way that it is not known.
struct Quantiles {
  std::optional<double> median;
  std::optional<double> p95;
};

/// How many runs ended in one way for one reason.
struct EndingShare {
  Ending ending = Ending::undecided;
  std::string reason;
  double share = 0;  ///< of all runs
};

struct SimulationReport {
  int runs = 0;
  double aborted_share = 0;    ///< runs aborted / runs
  double promoted_share = 0;   ///< runs promoted / runs
  double undecided_share = 0;  ///< the rest / runs
  /// aborted_share where the canary's true rate is within the tolerance (canary <= stable +
  /// tolerance); nothing for a worse one: its aborts are right.
  std::optional<double> false_abort_rate;
  /// promoted_share where the canary's true excess is the budget or more (canary - stable >=
  /// budget); nothing for a better one.
  std::optional<double> false_promotion_rate;
  Quantiles canary_requests_to_abort;  ///< of all runs, those not aborted being infinite
  Quantiles requests_to_promote;       ///< both versions' requests; of all runs, likewise
  Quantiles seconds_to_decision;       ///< of all runs, those undecided being infinite
  Quantiles extra_failures;            ///< of the aborted runs
  std::vector<EndingShare> reasons;    ///< the largest share first
};

/// What is true of the versions, and what of it is good and bad.
struct Truth {
  double stable_rate = 0, canary_rate = 0;  ///< the share of requests that fail
  double tolerance = 0.005;                 ///< an excess that a good canary may have
  double budget = 0.01;                     ///< one that a bad canary has
};
Truth truth_of(const Simulation& simulation);

SimulationReport summarize(const Truth& truth, const std::vector<SimulatedRun>& runs);

}  // namespace kubist::simulation
