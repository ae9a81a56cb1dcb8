#pragma once
#include <kubist/data/json.hpp>
#include <kubist/policies/statistical.hpp>

namespace kubist::policies {

/// The state as a policy keeps it: numbers only, at most 16 KiB for what check_parameters() lets
/// pass. Evidence is rounded down to a millionth, which is on the safe side.
data::Json to_json(const StatisticalState& state);

/// Reads it back. Fails with invalid when it is not one of these parameters (other metrics or
/// clusters) or not such a state at all.
util::Result<StatisticalState> statistical_state(const data::Json& json,
                                                 const StatisticalParameters& parameters);

/// The evidence with names and in percent where people read it, for status and reports.
data::Json to_json(const StatisticalParameters& parameters, const StatisticalDecision& decision);

}  // namespace kubist::policies
