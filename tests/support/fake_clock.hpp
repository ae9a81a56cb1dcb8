#pragma once
#include <mutex>

#include <kubist/util/clock.hpp>

namespace kubist::testing {

/// Stands still until it is told otherwise: who waits for it makes it go on. Any thread.
class FakeClock : public util::Clock {
 public:
  explicit FakeClock(std::chrono::system_clock::time_point wall =
                         std::chrono::system_clock::time_point(std::chrono::seconds(1'800'000'000)))
      : m_wall(wall) {}
  std::chrono::system_clock::time_point now() const override {
    const std::lock_guard lock(m_mutex);
    return m_wall;
  }
  std::chrono::steady_clock::time_point monotonic() const override {
    const std::lock_guard lock(m_mutex);
    return m_steady;
  }
  util::BootClock::time_point boot() const override {
    const std::lock_guard lock(m_mutex);
    return m_boot;
  }
  /// As util::sleep_for.
  bool sleep_for(std::chrono::nanoseconds duration, const std::stop_token& stop) {
    advance(duration);
    return !stop.stop_requested();
  }
  void advance(std::chrono::nanoseconds by) {
    suspend(by);
    const std::lock_guard lock(m_mutex);
    m_steady += std::chrono::duration_cast<std::chrono::steady_clock::duration>(by);
  }
  /// The machine sleeps so long.
  void suspend(std::chrono::nanoseconds by) {
    const std::lock_guard lock(m_mutex);
    m_wall += std::chrono::duration_cast<std::chrono::system_clock::duration>(by);
    m_boot += by;
  }

 private:
  mutable std::mutex m_mutex;
  std::chrono::system_clock::time_point m_wall;
  std::chrono::steady_clock::time_point m_steady{std::chrono::seconds(1000)};
  util::BootClock::time_point m_boot{std::chrono::seconds(2000)};
};

}  // namespace kubist::testing
