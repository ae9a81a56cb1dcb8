#pragma once
#include <memory>

#include <kubist/simulation/simulation.hpp>

namespace kubist::simulation {

/// What a judge of a simulation sees.
struct SimulatedLook {
  std::size_t step;
  double weight, next_weight;
  std::chrono::seconds at_step;
  stats::Window window;
};

struct SimulatedVerdict {
  policies::Verdict verdict;
  bool harm;                ///< a rollback for harm seen, not for time passed
  std::string_view reason;  ///< one of policies/verdict.hpp
};

/// One canary's judge, with its state.
class SimulatedJudge {
 public:
  virtual ~SimulatedJudge() = default;
  virtual void observe_past(const stats::Counts& stable) = 0;
  virtual SimulatedVerdict look(const SimulatedLook& look) = 0;
};

/// `statistical` lives longer.
std::unique_ptr<SimulatedJudge> make_judge(const Simulation& simulation,
                                           const policies::StatisticalParameters& statistical);

}  // namespace kubist::simulation
