#pragma once
#include <chrono>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

namespace kubist::cli {

using Now = std::chrono::system_clock::time_point;

/// When an Event (core/v1) was seen last; the epoch where it says nothing.
Now event_time(const data::Json& event);
/// Oldest first.
void sort_events(std::vector<data::Json>& events);
/// "5m (x3 over 20m)", "12s", "<unknown>": as kubectl prints the age of an Event.
std::string event_age(const data::Json& event, Now now);
/// Who reported it.
std::string event_source(const data::Json& event);
/// The message without white space at its ends.
std::string event_message(const data::Json& event);

}  // namespace kubist::cli
