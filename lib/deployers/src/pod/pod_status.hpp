#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/deployers/world.hpp>
#include <kubist/state/mark.hpp>

namespace kubist::deployers {

/// What a pod and the sidecar's mark say about a job.
struct Verdict {
  enum class State { running, succeeded, failed };
  State state = State::running;
  std::string operation, reason, message;
  std::vector<std::string> codes;
  /// Running: when this verdict may change without an event (a grace ends).
  std::optional<std::chrono::milliseconds> ask_again;
};

/// Pure. `mark`: of the export Secret, whatever job it is of. Times in `pod` are the API server's
/// and the node's, `now` is ours: graces are long enough for clocks that differ by seconds.
Verdict judge_pod(const Json& pod, const std::optional<state::Mark>& mark, const std::string& job,
                  const Settings& settings, TimePoint now);

/// Has the workload's container started, however it ended?
bool workload_started(const Json& pod);

/// Can the mark change the verdict? Before the workload has ended it cannot.
bool needs_mark(const Json& pod);

/// What became of the state of a workload that was ended before its time, as a sentence's end.
std::string state_outcome(const std::optional<state::Mark>& mark, const std::string& job,
                          const Settings& settings);

/// The terminated state of a container, or null.
const Json* terminated(const Json& pod, std::string_view container);

}  // namespace kubist::deployers
