#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include <kubist/util/result.hpp>

namespace kubist::executors {

/// What who comes after a bad answer gets.
enum class BadAnswers {
  asked_again,  ///< a new one: what failed may work by now
  kept,         ///< the same, so that all of a run go by one
};

/// One answer that many want at once. The first of a run asks; who comes while it asks gets what it
/// got, good or bad (so that ten nodes do not wait for ten timeouts in turn); who comes later gets
/// a good answer, and a bad one by `Bad`. Any thread.
template <class T, BadAnswers Bad = BadAnswers::asked_again>
class SharedAnswer {
 public:
  /// `ask`: () -> util::Result<T>, called under a lock of only this answer. REQUIRES: it asks for
  /// no answer that waits for this one, get() and last() of this one among them.
  template <class Ask>
  util::Result<T> get(std::uint64_t run, const Ask& ask) {
    const std::uint64_t before = m_asked;
    const std::lock_guard lock(m_mutex);
    if (m_answer && m_run == run && m_forgotten == m_old &&
        (Bad == BadAnswers::kept || m_answer->has_value() || m_asked != before)) {
      return *m_answer;
    }
    m_old = m_forgotten;
    m_answer = ask();
    m_run = run;
    ++m_asked;
    return *m_answer;
  }

  /// The next one asks again, also where somebody asks just now. Does not wait.
  void forget() { ++m_forgotten; }

  /// The last answer; nothing: nobody has asked. Waits for who asks just now.
  std::optional<util::Result<T>> last() {
    const std::lock_guard lock(m_mutex);
    return m_answer;
  }

 private:
  std::mutex m_mutex;
  std::atomic<std::uint64_t> m_asked = 0;
  std::atomic<std::uint64_t> m_forgotten = 0;
  std::uint64_t m_run = 0;
  std::uint64_t m_old = 0;  ///< m_forgotten when it was asked
  std::optional<util::Result<T>> m_answer;
};

/// A SharedAnswer for each key, for as long as this lives: a run or less. Any thread.
template <class Key, class T, BadAnswers Bad = BadAnswers::asked_again>
class SharedAnswers {
 public:
  /// REQUIRES: as SharedAnswer::get(), of each key's. `ask` may get another key's.
  template <class Ask>
  util::Result<T> get(const Key& key, const Ask& ask) {
    return of(key).get(0, ask);
  }
  /// As SharedAnswer::last().
  std::optional<util::Result<T>> last(const Key& key) { return of(key).last(); }

 private:
  SharedAnswer<T, Bad>& of(const Key& key) {
    const std::lock_guard lock(m_mutex);
    return m_answers[key];
  }

  std::mutex m_mutex;  ///< guards the map, not what is in it
  std::map<Key, SharedAnswer<T, Bad>> m_answers;
};

}  // namespace kubist::executors
