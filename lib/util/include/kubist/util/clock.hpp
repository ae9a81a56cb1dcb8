#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace kubist::util {

/// Where time enters. Any thread. Tests use a fake one.
class Clock {
 public:
  virtual ~Clock() = default;
  /// The calendar time: for timestamps in objects only.
  virtual std::chrono::system_clock::time_point now() const = 0;
  /// Never goes back: for durations and deadlines.
  virtual std::chrono::steady_clock::time_point monotonic() const = 0;
};

/// The machine's clocks.
const Clock& system_clock();

/// Waits for `duration` or until stop is requested; true when the whole time passed.
bool sleep_for(std::chrono::nanoseconds duration, const std::stop_token& stop);

}  // namespace kubist::util
