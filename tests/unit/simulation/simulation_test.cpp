#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>

#include <doctest/doctest.h>

#include <kubist/simulation/simulation.hpp>

#include "lots.hpp"

using namespace kubist::simulation;

namespace {

// As docs/background/statistics.md: 200 requests a window, 20 of them the canary's at 10 %.
Simulation simulation_of(double stable, double canary, int runs) {
  Simulation simulation;
  simulation.traffic.stable_rate = stable;
  simulation.traffic.canary_rate = canary;
  simulation.traffic.requests_per_second = 200.0 / 30;
  simulation.runs = runs;
  simulation.seed = 20261122;
  return simulation;
}

// One weight for all looks: aborts alone.
Simulation watching(double stable, double canary, double weight, int runs) {
  Simulation simulation = simulation_of(stable, canary, runs);
  simulation.rollout.weights = {weight};
  simulation.rollout.looks = 200;
  simulation.rollout.step_windows = 1000;
  simulation.statistical.prove = false;
  simulation.statistical.metrics[0].tolerance = 0;
  return simulation;
}

SimulationReport report_of(const Simulation& simulation) {
  REQUIRE(check_simulation(simulation));
  return summarize(truth_of(simulation), simulate(simulation, {}));
}

// Exceeded with probability below 10^-6 where the true share is 5 % (4.75 standard errors).
double at_most_5_percent(int runs) { return 0.05 + 4.75 * std::sqrt(0.05 * 0.95 / runs); }

constexpr int k_runs = 500;

}  // namespace

TEST_CASE("simulation: equal versions are aborted in at most 5 % of runs, at all looks together") {
  for (const double rate : {0.001, 0.01, 0.3}) {
    for (const double weight : {0.05, 0.5}) {
      CAPTURE(rate);
      CAPTURE(weight);
      const auto report = report_of(watching(rate, rate, weight, k_runs));
      CHECK(report.false_abort_rate.value() <= at_most_5_percent(k_runs));
    }
  }
}

TEST_CASE("simulation: so are those at the boundary, with rising rates, and with bursts") {
  Simulation boundary = watching(0.01, 0.02, 0.1, k_runs);
  boundary.statistical.metrics[0].tolerance = 0.01;
  CHECK(report_of(boundary).false_abort_rate.value() <= at_most_5_percent(k_runs));

  Simulation rising = watching(0.01, 0.01, 0.05, k_runs);
  rising.rollout.final_weight = 0.5;
  rising.traffic.rising = 5;
  CHECK(report_of(rising).false_abort_rate.value() <= at_most_5_percent(k_runs));
  rising.judge = Judge::z_test;
  CHECK(report_of(rising).aborted_share > 0.9);  // Simpson's paradox

  for (const double correlation : {0.01, 0.05}) {
    Simulation bursts = watching(0.01, 0.01, 0.1, k_runs);
    bursts.traffic.correlation = correlation;
    CHECK(report_of(bursts).false_abort_rate.value() <= at_most_5_percent(k_runs));
  }
}

TEST_CASE(
    "simulation: 99 to 97 % is aborted in time, a z-test at every look aborts good ones too") {
  const auto within = [](double tolerance, double requests) {
    Simulation simulation = watching(0.01, 0.03, 0.1, k_runs);
    simulation.rollout.looks = 500;
    simulation.statistical.metrics[0].tolerance = tolerance;
    const auto runs = simulate(simulation, {});
    const auto count = std::count_if(runs.begin(), runs.end(), [&](const SimulatedRun& run) {
      return run.ending == Ending::aborted && run.canary_requests <= requests;
    });
    return static_cast<double>(count) / k_runs;
  };
  CHECK(1 - within(0, 1250) <= at_most_5_percent(k_runs));
  CHECK(1 - within(0.005, 2500) <= at_most_5_percent(k_runs));
  Simulation naive = watching(0.01, 0.01, 0.1, k_runs);
  naive.judge = Judge::z_test;
  CHECK(report_of(naive).false_abort_rate.value() > 0.15);
}

TEST_CASE(
    "simulation: the default policy promotes good versions, not those that spend the budget") {
  Simulation simulation = simulation_of(0.01, 0.02, k_runs);
  CHECK(report_of(simulation).false_promotion_rate.value() <= at_most_5_percent(k_runs));
  simulation.traffic.canary_rate = 0.01;
  simulation.traffic.requests_per_second = 20;
  const auto good = report_of(simulation);
  CHECK(good.promoted_share > 0.9);
  CHECK_FALSE(good.false_promotion_rate);
  // Without traffic nothing is promoted.
  simulation.traffic.requests_per_second = 1e-9;
  const auto silent = report_of(simulation);
  CHECK(silent.undecided_share == 1);
}

TEST_CASE(
    "simulation: a version that turns bad at the last step is aborted within 1,000 requests") {
  Simulation simulation = simulation_of(0.01, 0.06, k_runs);
  simulation.rollout.weights = {0.05, 0.1, 0.25, 0.5};
  simulation.rollout.step_windows = 40;
  simulation.traffic.bad_from = 3;
  simulation.statistical.prove = false;
  simulation.statistical.metrics[0].tolerance = 0;
  const auto runs = simulate(simulation, {});
  const auto late = std::count_if(runs.begin(), runs.end(), [](const SimulatedRun& run) {
    return run.ending != Ending::aborted || run.canary_requests > 1000;
  });
  CHECK(static_cast<double>(late) / k_runs <= at_most_5_percent(k_runs));
}

TEST_CASE("simulation: the same seed gives the same runs on any number of threads") {
  Simulation simulation = simulation_of(0.01, 0.03, 50);
  simulation.threads = 1;
  const auto first = simulate(simulation, {});
  simulation.threads = 3;
  const auto second = simulate(simulation, {});
  simulation.seed += 1;
  const auto third = simulate(simulation, {});
  const auto same = [&](const std::vector<SimulatedRun>& other) {
    return std::equal(first.begin(), first.end(), other.begin(), other.end(),
                      [](const SimulatedRun& a, const SimulatedRun& b) {
                        return a.ending == b.ending && a.looks == b.looks &&
                               a.requests == b.requests && a.canary_requests == b.canary_requests;
                      });
  };
  CHECK(same(second));
  CHECK_FALSE(same(third));
}

TEST_CASE("simulation: the comparisons abort what is plainly worse") {
  for (const Judge judge : {Judge::threshold, Judge::z_test, Judge::mann_whitney}) {
    Simulation simulation = watching(0.01, 0.2, 0.1, 100);
    simulation.judge = judge;
    const auto report = report_of(simulation);
    CHECK(report.aborted_share > 0.98);
    CHECK_FALSE(report.false_abort_rate);
    CHECK(report.canary_requests_to_abort.median.value() < 500);
  }
}

TEST_CASE("simulation: a model that cannot be is refused") {
  const auto refused = [](auto change) {
    Simulation simulation;
    change(simulation);
    return !check_simulation(simulation);
  };
  CHECK(check_simulation({}));
  CHECK(refused([](auto& s) { s.traffic.stable_rate = 1.1; }));
  CHECK(refused([](auto& s) { s.traffic.requests_per_second = 0; }));
  CHECK(refused([](auto& s) { s.traffic.correlation = 1; }));
  CHECK(refused([](auto& s) { s.rollout.weights = {0.5, 0.2}; }));
  CHECK(refused([](auto& s) { s.rollout.weights = {}; }));
  CHECK(refused([](auto& s) { s.rollout.final_weight = 0.5; }));
  CHECK(refused([](auto& s) { s.runs = 0; }));
}

TEST_CASE("simulation: what a lot throws comes to who asked, after the others") {
  std::atomic<int> made = 0;
  const auto work = [&](int begin, int) {
    if (begin == 3) {
      throw std::bad_alloc();
    }
    ++made;
    return true;
  };
  CHECK_THROWS_AS(in_lots({.runs = 20, .size = 1, .threads = 4}, {}, work), std::bad_alloc);
  CHECK(made == 19);
}
