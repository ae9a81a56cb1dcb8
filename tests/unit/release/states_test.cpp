#include <set>

#include <doctest/doctest.h>

#include <kubist/release/states.hpp>

using namespace kubist::release;

TEST_CASE("release states: every pair of state and event has at most one row") {
  std::set<std::pair<State, Event>> seen;
  for (const Transition& row : transitions()) {
    CHECK(seen.emplace(row.from, row.event).second);
    CHECK(after(row.from, row.event) == row.to);
  }
}

TEST_CASE("release states: over every state and event") {
  for (int s = 0; s < k_states; ++s) {
    for (int e = 0; e < k_events; ++e) {
      const auto state = static_cast<State>(s);
      const auto event = static_cast<Event>(e);
      const auto next = after(state, event);
      CAPTURE(to_string(state));
      CAPTURE(to_string(event));
      if (is_final(state)) {
        // Only another version or a retry begins again, and then from the start.
        const bool begins =
            event == Event::new_target || (event == Event::retry && state != State::succeeded);
        CHECK(next.has_value() == begins);
        CHECK((!next || *next == State::pending));
      }
      if (!is_final(state) && state != State::rolling_back) {
        // A rollback is possible from everywhere, and nothing but going back ends in its states.
        CHECK(after(state, Event::rollback) == State::rolling_back);
        CHECK(after(state, Event::abort) == State::rolling_back);
        CHECK((!next || (*next != State::rolled_back && *next != State::aborted)));
      }
      if (state == State::rolling_back && next) {
        // Nothing but the proof, or its loss, leaves it.
        const std::set<Event> ends{Event::restored, Event::given_up, Event::replaced, Event::lost};
        CHECK(ends.contains(event));
      }
    }
  }
}

TEST_CASE("release states: names are read back") {
  for (int s = 0; s < k_states; ++s) {
    CHECK(read_state(to_string(static_cast<State>(s))) == static_cast<State>(s));
  }
  CHECK(read_state("Nonsense") == State::pending);
}
