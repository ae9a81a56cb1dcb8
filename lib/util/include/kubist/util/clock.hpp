#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace kubist::util {

/// CLOCK_BOOTTIME: never goes back, and goes on while the machine is suspended, as the clocks of
/// other machines do meanwhile (steady_clock stands still).
struct BootClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
};

/// Where time enters. Any thread. Tests use a fake one.
class Clock {
 public:
  virtual ~Clock() = default;
  /// The calendar time: for timestamps in objects only.
  virtual std::chrono::system_clock::time_point now() const = 0;
  /// Never goes back: for durations and deadlines.
  virtual std::chrono::steady_clock::time_point monotonic() const = 0;
  /// The same, for what others go on with while this machine is suspended: locks.
  virtual BootClock::time_point boot() const = 0;
};

/// The machine's clocks.
const Clock& system_clock();

/// Waits for `duration` or until stop is requested; true when the whole time passed.
bool sleep_for(std::chrono::nanoseconds duration, const std::stop_token& stop);

}  // namespace kubist::util
