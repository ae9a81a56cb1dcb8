#pragma once
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::policies {

/// Seconds of calendar time, as windows count them.
using Seconds = std::chrono::sys_seconds;

/// A span of time that is open (end excluded), once or every week.
struct Window {
  std::array<bool, 7> days{};         ///< from Sunday; on which it starts
  std::chrono::minutes from{0};       ///< after midnight
  std::chrono::minutes to{24 * 60};   ///< from >= to: ends the next day
  std::optional<Seconds> start, end;  ///< instead, or as outer bounds
};

/// Reads one entry of `windows`. Fails with invalid.
util::Result<Window> read_window(const data::Json& json);
/// "+01:00", "-0530", "Z" as an offset from UTC. Fails with invalid.
util::Result<std::chrono::minutes> read_offset(std::string_view text);

/// Is any window open at `now`, and when does that change next (nothing: never)? `offset`: of the
/// windows' days and times from UTC.
struct WindowState {
  bool open = false;
  std::optional<Seconds> changes_at;
};
WindowState state_of(const std::vector<Window>& windows, Seconds now, std::chrono::minutes offset);

}  // namespace kubist::policies
