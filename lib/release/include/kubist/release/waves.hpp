#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>

#include <kubist/release/plan.hpp>
#include <kubist/release/progress.hpp>

namespace kubist::release {

/// The wave in which each of these virtual clusters gets a step, from 0 without gaps: as the plan
/// has them, those that it does not name together at the end; without waves of its own one by one,
/// by name. All in wave 0 where the plan has no order of waves.
std::map<std::string, int> waves_of(const Plan& plan, const std::set<std::string>& clusters);

/// The canary's percent in this wave: that of the step, or of the one before where the step has not
/// come so far. Nothing: the routes' own weights.
std::optional<int> weight_in(const Progress& progress, int wave);

}  // namespace kubist::release
