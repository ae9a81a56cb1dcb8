#pragma once
#include <memory>

#include <kubist/policies/simulation.hpp>

namespace kubist::policies {

/// What a judge of a simulation sees.
struct SimulatedLook {
  std::size_t step;
  double weight, next_weight;
  std::chrono::seconds at_step;
  stats::Window window;
};

struct SimulatedVerdict {
  Verdict verdict;
  bool harm;                ///< a rollback for harm seen, not for time passed
  std::string_view reason;  ///< one of verdict.hpp
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
                                           const StatisticalParameters& statistical);

}  // namespace kubist::policies
