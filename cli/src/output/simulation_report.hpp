#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/policies/simulation.hpp>

namespace kubist::cli {

/// The report of `canary simulate` for programs; names are those of its help.
data::Json simulation_json(const policies::Simulation& simulation,
                           const policies::SimulationReport& report);
/// The same for people, with a chart of when runs ended.
std::string simulation_text(const policies::Simulation& simulation,
                            const policies::SimulationReport& report,
                            const std::vector<policies::SimulatedRun>& runs);

}  // namespace kubist::cli
