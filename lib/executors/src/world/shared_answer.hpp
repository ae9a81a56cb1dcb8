#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include <kubist/util/result.hpp>

namespace kubist::executors {

/// One answer that many want at once. The first of a run asks; who comes while it asks gets what it
/// got, good or bad (so that ten nodes do not wait for ten timeouts in turn); who comes later gets
/// a good answer and asks again after a bad one. Any thread.
template <class T>
class SharedAnswer {
 public:
  /// `ask`: () -> util::Result<T>, called under a lock of this answer alone.
  template <class Ask>
  util::Result<T> get(std::uint64_t run, const Ask& ask) {
    const std::uint64_t before = m_asked;
    const std::lock_guard lock(m_mutex);
    if (m_answer && m_run == run && m_forgotten == m_old &&
        (m_answer->has_value() || m_asked != before)) {
      return *m_answer;
    }
    m_old = m_forgotten;
    m_answer = ask();
    m_run = run;
    ++m_asked;
    return *m_answer;
  }

  /// The next one asks anew, also where somebody asks just now. Does not wait.
  void forget() { ++m_forgotten; }

 private:
  std::mutex m_mutex;
  std::atomic<std::uint64_t> m_asked = 0;
  std::atomic<std::uint64_t> m_forgotten = 0;
  std::uint64_t m_run = 0;
  std::uint64_t m_old = 0;  ///< m_forgotten when it was asked
  std::optional<util::Result<T>> m_answer;
};

}  // namespace kubist::executors
