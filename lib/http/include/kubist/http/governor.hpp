#pragma once
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string_view>

namespace kubist::http {

struct GovernorOptions {
  double initial = 12;
  double minimum = 2;
  double maximum = 64;
};

/// How many calls may be in flight at once at one server: starts at 12, grows to 64 while latency
/// stays near its minimum (so the network, not the server, is what takes the time), halves on 429.
/// Long-running exchanges do not count. Any thread.
class Governor {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Governor(GovernorOptions options = {});

  std::size_t limit() const;
  /// Learns from one answer. `in_flight` is how many there were with it; `latency` runs from
  /// request sent to first byte. Only mutating methods teach latency: a LIST takes its own time.
  void record(Time now, std::string_view method, int status, std::size_t in_flight,
              std::chrono::microseconds latency);

 private:
  GovernorOptions m_options;
  mutable std::mutex m_mutex;
  double m_limit;
  bool m_slow_start = true;
  std::optional<std::chrono::microseconds> m_minimum;
  Time m_minimum_until{};
  Time m_last_cut{};
};

}  // namespace kubist::http
