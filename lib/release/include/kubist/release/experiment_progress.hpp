#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/release/experiment_judge.hpp>

namespace kubist::experiment {

using Time = std::chrono::system_clock::time_point;

/// Where an Experiment stands; the last two are final.
enum class State {
  pending,    ///< its route is not in order yet, or somebody else's
  running,    ///< clients are assigned; their goals are read
  paused,     ///< clients stay where they are, nothing is read
  finishing,  ///< until the route is proven at its own weights
  finished,   ///< by a verdict or a limit
  aborted,    ///< by a person, or its route is gone
};
bool is_final(State state);
/// "Running": as status.state has it.
std::string_view to_string(State state);
/// Pending for what is no state.
State read_state(std::string_view text);

/// How far an experiment has come: what is kept of it between two evaluations, in the status.
struct Progress {
  State state = State::pending;
  std::string reason, message;
  std::string paused_by;           ///< "a person" or "RouteChanged"
  std::string winner;              ///< a variant; empty: none
  bool aborting = false;           ///< finishing ends as aborted
  std::string for_spec;            ///< a hash of the route's rules when it began
  Time since;                      ///< in this state
  std::optional<Time> started_at;  ///< when clients were first seen to be assigned
  std::optional<Time> read_at;     ///< when the goals were last read
  std::string plan;                ///< the plan's hash when it was counted
  /// [goal][variant] of the plan: the counters as they were last read, and what was gathered since
  /// the beginning. Empty before the first reading, and last also after a pause.
  std::vector<std::vector<Totals>> last, gathered;
  std::vector<GoalReport> report;
  /// Of the clients to come, in percent, in the plan's order; empty: by the variants' weights.
  std::vector<int> shares;
  std::optional<std::uint64_t> seed;  ///< of the draws that made them; nothing: policies did
};

/// The status fields of it. Times have whole seconds.
data::Json to_json(const Progress& progress);
/// From a status; a fresh one where there is none. Counters of another plan are left out.
Progress read_progress(const data::Json& status, const Plan& plan);

}  // namespace kubist::experiment
