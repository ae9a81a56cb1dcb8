#pragma once
#include <vector>

#include <kubist/engine/decision.hpp>
#include <kubist/release/experiment_progress.hpp>

namespace kubist::experiment {

/// What the plan's test and assignment make of what was gathered, totals[goal][variant]: an advance
/// with the winner or none (judge()), else a hold, with Thompson's shares where the plan has them.
/// They are drawn from the time of the reading, so that anybody can draw again. Pure.
engine::Decision decide(const Plan& plan, const std::vector<std::vector<Totals>>& totals, Time now);

}  // namespace kubist::experiment
