#include <algorithm>
#include <array>

#include <kubist/release/states.hpp>

namespace kubist::release {

namespace {

using S = State;
using E = Event;

constexpr std::array<std::string_view, k_states> k_names{
    "Pending",     "Progressing", "Paused",     "Waiting", "Promoting",
    "RollingBack", "Succeeded",   "RolledBack", "Aborted", "Failed"};

constexpr std::array<std::string_view, k_events> k_event_names{
    "TargetReady", "Advanced", "Promoted", "Held",     "Pause", "Resume", "Rollback", "Abort",
    "Baked",       "Restored", "GivenUp",  "Replaced", "Lost",  "Retry",  "NewTarget"};

constexpr Transition k_transitions[] = {
    {S::pending, E::target_ready, S::progressing},
    {S::pending, E::abort, S::rolling_back},
    {S::pending, E::rollback, S::rolling_back},
    {S::pending, E::pause, S::paused},
    {S::pending, E::lost, S::failed},

    {S::progressing, E::advanced, S::progressing},
    {S::progressing, E::promoted, S::promoting},
    {S::progressing, E::held, S::waiting},
    {S::progressing, E::pause, S::paused},
    {S::progressing, E::rollback, S::rolling_back},
    {S::progressing, E::abort, S::rolling_back},
    {S::progressing, E::lost, S::failed},

    {S::waiting, E::advanced, S::progressing},
    {S::waiting, E::promoted, S::promoting},
    {S::waiting, E::pause, S::paused},
    {S::waiting, E::rollback, S::rolling_back},
    {S::waiting, E::abort, S::rolling_back},
    {S::waiting, E::lost, S::failed},

    {S::paused, E::resume, S::progressing},
    {S::paused, E::rollback, S::rolling_back},
    {S::paused, E::abort, S::rolling_back},
    {S::paused, E::lost, S::failed},

    {S::promoting, E::baked, S::succeeded},
    {S::promoting, E::pause, S::paused},
    {S::promoting, E::rollback, S::rolling_back},
    {S::promoting, E::abort, S::rolling_back},
    {S::promoting, E::lost, S::failed},

    {S::rolling_back, E::restored, S::rolled_back},
    {S::rolling_back, E::given_up, S::aborted},
    {S::rolling_back, E::replaced, S::pending},
    {S::rolling_back, E::lost, S::failed},

    {S::succeeded, E::new_target, S::pending},
    {S::rolled_back, E::new_target, S::pending},
    {S::aborted, E::new_target, S::pending},
    {S::failed, E::new_target, S::pending},
    {S::rolled_back, E::retry, S::pending},
    {S::aborted, E::retry, S::pending},
    {S::failed, E::retry, S::pending},
};

}  // namespace

std::span<const Transition> transitions() { return k_transitions; }

std::optional<State> after(State state, Event event) {
  for (const Transition& row : k_transitions) {
    if (row.from == state && row.event == event) {
      return row.to;
    }
  }
  return std::nullopt;
}

bool is_final(State state) { return state >= S::succeeded; }

std::string_view to_string(State state) { return k_names[static_cast<std::size_t>(state)]; }

std::string_view to_string(Event event) { return k_event_names[static_cast<std::size_t>(event)]; }

State read_state(std::string_view text) {
  const auto found = std::find(k_names.begin(), k_names.end(), text);
  return found == k_names.end() ? S::pending : static_cast<State>(found - k_names.begin());
}

}  // namespace kubist::release
