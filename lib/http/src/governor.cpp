#include <algorithm>

#include <kubist/http/governor.hpp>

namespace kubist::http {
namespace {

constexpr std::chrono::seconds k_minimum_age{30};  // the network may change: learn it again
constexpr std::chrono::seconds k_cut_pause{1};     // answers to one burst of 429 cut once
// Above this, time is spent queueing in the server, where more calls in flight only wait. Measured:
// at 20 ms round trip 64 in flight take 3x the latency of one and are fastest, at 0 ms it is 10x
// and nothing is gained beyond 12.
constexpr double k_near_factor = 3.0;
constexpr std::chrono::milliseconds k_near_slack{2};

bool is_mutating(std::string_view method) { return method != "GET" && method != "HEAD"; }

}  // namespace

Governor::Governor(GovernorOptions options) : m_options(options), m_limit(options.initial) {}

std::size_t Governor::limit() const {
  const std::lock_guard lock(m_mutex);
  return static_cast<std::size_t>(m_limit);
}

void Governor::record(Time now, std::string_view method, int status, std::size_t in_flight,
                      std::chrono::microseconds latency) {
  const std::lock_guard lock(m_mutex);
  if (status == 429) {
    if (now - m_last_cut >= k_cut_pause) {
      m_limit = std::max(m_options.minimum, m_limit / 2);
      m_last_cut = now;
      m_slow_start = false;
    }
    return;
  }
  if (!is_mutating(method) || status >= 400) {
    return;
  }
  if (!m_minimum || latency < *m_minimum || now > m_minimum_until) {
    m_minimum = latency;
    m_minimum_until = now + k_minimum_age;
  }
  const bool saturated = static_cast<double>(in_flight) + 1 >= m_limit;
  const bool near = static_cast<double>(latency.count()) <=
                    k_near_factor * static_cast<double>(m_minimum->count()) +
                        static_cast<double>(std::chrono::microseconds(k_near_slack).count());
  if (saturated && near) {
    m_limit = std::min(m_options.maximum, m_limit + (m_slow_start ? 1.0 : 1.0 / m_limit));
  }
}

}  // namespace kubist::http
