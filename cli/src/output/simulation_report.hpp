#pragma once
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/simulation/outcome.hpp>

namespace kubist::cli {

/// The report of `canary simulate` for programs; names are those of its help.
data::Json simulation_json(const simulation::Outcome& outcome);
/// The same for people, with a chart of when runs ended.
std::string simulation_text(const simulation::Outcome& outcome);

}  // namespace kubist::cli
