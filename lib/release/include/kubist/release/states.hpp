#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace kubist::release {

/// Where a CanaryRelease stands. The last four are final: only a new target or `retry` leaves them.
enum class State {
  pending,      ///< the target is not ready yet
  progressing,  ///< on its way to the next weight, or its step's first evaluation
  paused,     ///< by a person, a policy, or because the route was changed: weights frozen, no clock
  waiting,    ///< for data, an approval, a window: the clock of the step runs
  promoting,  ///< at 100 %, abort rules armed, until the bake time is over
  rolling_back,  ///< until every route is proven at its original weights
  succeeded,
  rolled_back,  ///< by verdict or limit
  aborted,      ///< by a person
  failed,       ///< kubist could not make or prove a change
};
inline constexpr int k_states = 10;

/// What can happen to one.
enum class Event {
  target_ready,  ///< the target has ready endpoints and every route is in order
  advanced,      ///< a step below 100 % was decided
  promoted,      ///< 100 % was decided
  held,          ///< the policies said hold, or nothing
  pause,         ///< asked for by a person, a policy, or a changed route
  resume,
  rollback,    ///< a verdict, a limit, or a new target
  abort,       ///< asked for by a person
  baked,       ///< the time at 100 % is over
  restored,    ///< every route is proven at its original weights
  given_up,    ///< the same, after an abort
  replaced,    ///< the same, for a new target: the next attempt begins
  lost,        ///< a route is gone: nothing can be proven any more
  retry,       ///< asked for by a person
  new_target,  ///< there is another version to release
};
inline constexpr int k_events = 15;

/// One row of the table.
struct Transition {
  State from;
  Event event;
  State to;
};

/// The whole table: what is not in it leaves the state as it is.
std::span<const Transition> transitions();
/// The state after an event; nothing: the event means nothing there.
std::optional<State> after(State state, Event event);

bool is_final(State state);
/// "Progressing", "RolledBack": as status.state has it.
std::string_view to_string(State state);
std::string_view to_string(Event event);
/// Pending for what is no state.
State read_state(std::string_view text);

}  // namespace kubist::release
