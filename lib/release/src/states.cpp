#include <kubist/release/states.hpp>
#include <kubist/util/words.hpp>

namespace kubist::release {

namespace {

using S = State;
using E = Event;

constexpr util::Word<State> k_names[] = {
    {S::pending, "Pending"},     {S::progressing, "Progressing"}, {S::paused, "Paused"},
    {S::waiting, "Waiting"},     {S::promoting, "Promoting"},     {S::rolling_back, "RollingBack"},
    {S::succeeded, "Succeeded"}, {S::rolled_back, "RolledBack"},  {S::aborted, "Aborted"},
    {S::failed, "Failed"}};

constexpr util::Word<Event> k_event_names[] = {{E::target_ready, "TargetReady"},
                                               {E::advanced, "Advanced"},
                                               {E::promoted, "Promoted"},
                                               {E::held, "Held"},
                                               {E::pause, "Pause"},
                                               {E::resume, "Resume"},
                                               {E::rollback, "Rollback"},
                                               {E::abort, "Abort"},
                                               {E::baked, "Baked"},
                                               {E::restored, "Restored"},
                                               {E::given_up, "GivenUp"},
                                               {E::replaced, "Replaced"},
                                               {E::lost, "Lost"},
                                               {E::retry, "Retry"},
                                               {E::new_target, "NewTarget"}};

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

std::string_view to_string(State state) { return util::word_of(k_names, state); }

std::string_view to_string(Event event) { return util::word_of(k_event_names, event); }

State read_state(std::string_view text) {
  return util::value_of(k_names, text).value_or(S::pending);
}

}  // namespace kubist::release
