#include <kubist/policies/statistical_policy.hpp>
#include <kubist/simulation/outcome.hpp>

namespace kubist::simulation {
namespace {

using policies::StatisticalParameters;

std::vector<StepNeed> needs_of(const StatisticalParameters& statistical,
                               const std::vector<double>& weights, double stable_rate,
                               double requests_per_second) {
  std::vector<StepNeed> needs;
  const bool known = statistical.prove && statistical.metrics.size() == 1;
  for (std::size_t i = 0; known && i + 1 < weights.size(); ++i) {
    const auto needed = [&](double quantile) {
      return policies::requests_to_leave(statistical, std::span(&stable_rate, 1), weights[i],
                                         weights[i + 1], quantile);
    };
    needs.push_back({weights[i], weights[i] * requests_per_second, needed(0.5), needed(0.95)});
  }
  return needs;
}

std::vector<double> shares_of(const std::vector<int>& percents) {
  std::vector<double> shares;
  for (const int percent : percents) {
    shares.push_back(percent * 0.01);
  }
  return shares;
}

}  // namespace

Outcome simulate_test(const Simulation& simulation, const std::stop_token& stop) {
  Outcome outcome{simulation.seed, {}, simulate(simulation, stop), {}};
  outcome.report = summarize(truth_of(simulation), outcome.runs);
  if (simulation.judge == Judge::statistical) {
    outcome.needs =
        needs_of(simulation.statistical, simulation.rollout.weights, simulation.traffic.stable_rate,
                 simulation.traffic.requests_per_second);
  }
  return outcome;
}

util::Result<Outcome> simulate_release(const ReleaseSimulation& simulation, const Bounds& bounds,
                                       const std::stop_token& stop) {
  KUBIST_TRY(const release::Plan plan, release::read_plan(*simulation.release));
  KUBIST_TRY(const std::optional<StatisticalParameters> statistical,
             policies::find_statistical(*simulation.release, *simulation.catalog));
  const Traffic& traffic = *simulation.traffic;
  Truth truth{traffic.stable_rate(), traffic.canary_rate()};
  if (statistical) {
    truth.tolerance = statistical->metrics[0].tolerance;
    truth.budget = statistical->budget;
  }
  truth.tolerance = bounds.tolerance.value_or(truth.tolerance);
  truth.budget = bounds.budget.value_or(truth.budget);
  Outcome outcome{simulation.seed, {}, {}, {}};
  KUBIST_TRY(outcome.runs, simulate(simulation, stop));
  outcome.report = summarize(truth, outcome.runs);
  if (statistical) {
    outcome.needs = needs_of(*statistical, shares_of(plan.weights), truth.stable_rate,
                             traffic.requests_per_second());
  }
  return outcome;
}

}  // namespace kubist::simulation
