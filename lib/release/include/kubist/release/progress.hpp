#pragma once
#include <chrono>
#include <optional>
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/release/states.hpp>

namespace kubist::release {

using Time = std::chrono::system_clock::time_point;

/// How far a release has come: what is kept of it between two evaluations, in the status.
struct Progress {
  State state = State::pending;
  int attempt = 1;
  int weight = 0;        ///< percent that the canary shall have; 0: the routes' own weights, but
  bool at_zero = false;  ///< of a first step of 0 %: only what matches, or copies, go to the canary
  /// In an order of waves: the one that has the weight, from 0; how many there are; and the weight
  /// of the step before, which those behind it have.
  int wave = 0, waves = 1, from = 0;
  std::string target;  ///< what is released: another one starts another attempt
  std::string reason;  ///< CamelCase: why it is where it is
  std::string message;
  std::string
      paused_by;  ///< who paused it: "a person", a policy's name, RouteChanged or StatusLost
  /// Why it rolls back, to be told apart at the end.
  bool aborting = false, replacing = false;
  Time since;                       ///< in this state
  std::optional<Time> observed_at;  ///< the weight was first seen on every route; nothing: not yet
};

/// Have the routes weights of the release, not their own?
bool is_moved(const Progress& progress);

/// The status fields of it: state, attempt, weight, wave (of several), target, reason, pausedBy,
/// goingBackFor, since, observedAt. Times have whole seconds.
data::Json to_json(const Progress& progress);
/// status.history after an evaluation: what it was (null or a list), and one more entry {at,
/// attempt, state, weight, wave, reason, message} where state, attempt, weight or wave changed; the
/// newest 50 stay, the oldest first. So it grows only in statuses that are written anyway.
data::Json history_after(data::Json history, const Progress& before, const Progress& after,
                         Time now);

/// From a status; a fresh one where there is none.
Progress read_progress(const data::Json& status);

}  // namespace kubist::release
