#pragma once
#include <optional>
#include <vector>

#include <kubist/release/experiment_loop.hpp>

namespace kubist::experiment {

/// What was gathered when these counters are added: of each what came since those read last.
/// Where one shrank (a restart), that window of that variant is left out.
std::vector<std::vector<Totals>> gather(const Plan& plan, const Progress& before,
                                        const std::vector<std::vector<Totals>>& counters);

/// What an evaluation read, as policies see it: an ExperimentObservation {read, at, reason,
/// message, goals: [{name, kind, direction, variants: [{name, samples, sum, squares, value}]}]}.
/// `read`: this evaluation read the goals, at that time; else `reason` says why they could not be
/// read, where they were tried. The numbers are those gathered since the experiment began, this
/// reading's among them: of a Conversion `sum` are the successes and `value` is their share, of a
/// Mean the sum and the mean of the values; `squares` is the sum of their squares.
data::Json observation(const Plan& plan, const Progress& before,
                       const std::optional<Reading>& reading);

/// What was gathered, [goal][variant] of the plan; nothing: the goals were not read at this
/// evaluation, or the observation is of another plan.
std::optional<std::vector<std::vector<Totals>>> read_observation(const data::Json& observation,
                                                                 const Plan& plan);

}  // namespace kubist::experiment
