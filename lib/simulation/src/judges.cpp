#include "judges.hpp"

#include <algorithm>

#include <kubist/stats/tests.hpp>

namespace kubist::simulation {

namespace reason = policies::reason;
using policies::StatisticalParameters;
using policies::ThresholdParameters;
using policies::Verdict;

namespace {

// Kayenta's confidence of 0.98, two-sided.
constexpr double k_mann_whitney_level = 0.01;

SimulatedVerdict comparison(bool worse) {
  return worse ? SimulatedVerdict{Verdict::rollback, true, reason::k_worse_than_stable}
               : SimulatedVerdict{Verdict::hold, false, reason::k_undecided};
}

class StatisticalJudge final : public SimulatedJudge {
 public:
  explicit StatisticalJudge(const StatisticalParameters& parameters)
      : m_parameters(parameters), m_state(initial_state(parameters)) {}
  void observe_past(const stats::Counts& stable) override {
    policies::observe_past(m_state, 0, stable);
  }
  SimulatedVerdict look(const SimulatedLook& seen) override {
    const policies::StatisticalLook look{seen.step, seen.weight, seen.next_weight, seen.at_step,
                                         std::span(&seen.window, 1)};
    const policies::StatisticalDecision decision = decide(m_parameters, look, m_state);
    return {decision.verdict,
            decision.reason == reason::k_worse_than_stable ||
                decision.reason == reason::k_budget_exceeded,
            decision.reason};
  }

 private:
  const StatisticalParameters& m_parameters;
  policies::StatisticalState m_state;
};

class ThresholdJudge final : public SimulatedJudge {
 public:
  explicit ThresholdJudge(const ThresholdParameters& parameters) : m_parameters(parameters) {}
  void observe_past(const stats::Counts&) override {}
  SimulatedVerdict look(const SimulatedLook& seen) override {
    const auto decision = decide(m_parameters, seen.window.canary, m_state);
    return {decision.verdict, decision.verdict == Verdict::rollback, decision.reason};
  }

 private:
  const ThresholdParameters& m_parameters;
  policies::ThresholdState m_state;
};

class ZTestJudge final : public SimulatedJudge {
 public:
  explicit ZTestJudge(double alpha) : m_alpha(alpha) {}
  void observe_past(const stats::Counts&) override {}
  SimulatedVerdict look(const SimulatedLook& seen) override {
    m_all.canary += seen.window.canary;
    m_all.stable += seen.window.stable;
    const bool worse = stats::proportions_z_test(m_all.canary, m_all.stable).greater < m_alpha;
    return comparison(worse);
  }

 private:
  double m_alpha;
  stats::Window m_all;
};

class MannWhitneyJudge final : public SimulatedJudge {
 public:
  void observe_past(const stats::Counts&) override {}
  SimulatedVerdict look(const SimulatedLook& seen) override {
    insert(m_canary, seen.window.canary);
    insert(m_stable, seen.window.stable);
    const bool worse =
        stats::mann_whitney_sorted(m_canary, m_stable).greater < k_mann_whitney_level;
    return comparison(worse);
  }

 private:
  static void insert(std::vector<double>& rates, const stats::Counts& counts) {
    if (counts.n > 0) {
      const double rate = counts.k / counts.n;
      rates.insert(std::upper_bound(rates.begin(), rates.end(), rate), rate);
    }
  }
  std::vector<double> m_canary, m_stable;  // sorted
};

}  // namespace

std::unique_ptr<SimulatedJudge> make_judge(const Simulation& simulation,
                                           const StatisticalParameters& statistical) {
  switch (simulation.judge) {
    case Judge::threshold:
      return std::make_unique<ThresholdJudge>(simulation.threshold);
    case Judge::z_test:
      return std::make_unique<ZTestJudge>(statistical.alpha);
    case Judge::mann_whitney:
      return std::make_unique<MannWhitneyJudge>();
    case Judge::statistical:
      break;
  }
  return std::make_unique<StatisticalJudge>(statistical);
}

}  // namespace kubist::simulation
