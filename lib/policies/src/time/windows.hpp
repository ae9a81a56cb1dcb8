#pragma once
#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

#include "policy/place.hpp"
#include "time/cron.hpp"
#include "time/zone.hpp"

namespace kubist::policies {

/// Seconds of calendar time, as windows count them.
using Seconds = std::chrono::sys_seconds;

/// Spans of time that are open (end excluded): every week, as a schedule says, or once.
struct Window {
  std::array<bool, 7> days{};         ///< from Sunday; on which it starts
  std::chrono::minutes from{0};       ///< after midnight
  std::chrono::minutes to{24 * 60};   ///< from >= to: ends the next day
  std::optional<Cron> schedule;       ///< instead of days, from and to: when it opens
  std::chrono::seconds duration{0};   ///< of a schedule: how long it stays so
  std::optional<Seconds> start, end;  ///< instead, or as outer bounds
};

/// Reads one entry of `windows`, which stands at `place`. Fails with invalid.
util::Result<Window> read_window(const data::Json& json, const Place& place);

/// Is any window open at `now`, and when does that change next (nothing: never)? `zone`: of the
/// windows' days and times.
struct WindowState {
  bool open = false;
  std::optional<Seconds> changes_at;
};
WindowState state_of(const std::vector<Window>& windows, Seconds now, const Zone& zone);

}  // namespace kubist::policies
