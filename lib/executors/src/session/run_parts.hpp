#pragma once
#include <string>
#include <vector>

#include "session/agenda.hpp"

namespace kubist::executors {

/// What one run is asked for.
struct RunPart {
  std::string ns;  ///< ReconcileOptions::only_namespace
  std::vector<Agenda::Due> due;
};

/// What is due at the same time, by the runs that do it: each project by itself, whose run then
/// reads nothing else; all at once where they are many. Executions and items by themselves, since a
/// run may hold its nodes until all have ended, and a script may go on for hours. `watched`: the
/// namespace of all runs, or "*".
std::vector<RunPart> run_parts(std::vector<Agenda::Due> due, const engine::Graph& tree,
                               const std::string& watched);

}  // namespace kubist::executors
