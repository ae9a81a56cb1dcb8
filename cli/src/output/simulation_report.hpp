#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/simulation/simulation.hpp>

namespace kubist::cli {

/// What a version as good as stable needs at a step.
struct StepNeed {
  double weight = 0;
  double rate = 0;                    ///< canary requests a second
  std::optional<double> median, p95;  ///< canary requests; nothing: no number suffices
};
/// Of the statistical policy, at each of its weights but the last; none where it judges latencies,
/// whose rates are not known.
std::vector<StepNeed> needs_of(const policies::StatisticalParameters& statistical,
                               const std::vector<double>& weights, double stable_rate,
                               double requests_per_second);

/// What was simulated, and what came of it.
struct SimulationOutcome {
  std::uint64_t seed = 1;
  simulation::SimulationReport report;
  std::vector<simulation::SimulatedRun> runs;
  std::vector<StepNeed> needs;
};

/// The report of `canary simulate` for programs; names are those of its help.
data::Json simulation_json(const SimulationOutcome& outcome);
/// The same for people, with a chart of when runs ended.
std::string simulation_text(const SimulationOutcome& outcome);

}  // namespace kubist::cli
