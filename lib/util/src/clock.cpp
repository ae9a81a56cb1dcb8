#include <ctime>

#include <kubist/util/clock.hpp>

namespace kubist::util {
namespace {

class SystemClock final : public Clock {
 public:
  std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::now();
  }
  std::chrono::steady_clock::time_point monotonic() const override {
    return std::chrono::steady_clock::now();
  }
  BootClock::time_point boot() const override { return BootClock::now(); }
};

}  // namespace

BootClock::time_point BootClock::now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

bool sleep_for(std::chrono::nanoseconds duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  return !wake.wait_for(lock, stop, duration, [&] { return stop.stop_requested(); });
}

}  // namespace kubist::util
