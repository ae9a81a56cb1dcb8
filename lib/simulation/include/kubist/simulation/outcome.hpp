#pragma once
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include <kubist/simulation/release_simulation.hpp>
#include <kubist/simulation/simulation.hpp>

/// What `canary simulate` tells of a simulation.
namespace kubist::simulation {

/// What a version as good as stable needs to leave a step; computed, not simulated.
struct StepNeed {
  double weight = 0;
  double rate = 0;                    ///< canary requests a second
  std::optional<double> median, p95;  ///< canary requests; nothing: no number suffices
};

/// What was simulated, and what came of it.
struct Outcome {
  std::uint64_t seed = 1;
  SimulationReport report;
  std::vector<SimulatedRun> runs;
  /// Of the statistical policy, at each of its weights but the last; none where it judges
  /// latencies, whose rates are not known, and of other judges.
  std::vector<StepNeed> needs;
};

/// As simulate().
Outcome simulate_test(const Simulation& simulation, const std::stop_token& stop);

/// What is good and bad. Nothing: as the release's first policy Statistical has it, or as Truth.
struct Bounds {
  std::optional<double> tolerance, budget;
};
/// As simulate(). Invalid, too: the parameters of a policy Statistical.
util::Result<Outcome> simulate_release(const ReleaseSimulation& simulation, const Bounds& bounds,
                                       const std::stop_token& stop);

}  // namespace kubist::simulation
