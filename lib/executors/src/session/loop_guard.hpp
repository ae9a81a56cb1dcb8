#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include <kubist/util/threads.hpp>

namespace kubist::executors {

/// Keeps what the steps of a loop throw from ending it, and tells of that. One thread.
class LoopGuard {
 public:
  /// What `tell` throws is lost.
  explicit LoopGuard(std::function<void(const util::Error&)> tell) : m_tell(std::move(tell)) {}

  /// What lasts is told once, until all is fine().
  void trouble(const util::Error& error) {
    static_cast<void>(util::guarded([&] {
      if (std::string text = error.to_string(); text != m_told) {
        m_told = std::move(text);
        m_tell(error);
      }
    }));
  }
  void fine() { m_told.clear(); }

  /// Calls it; what it throws is trouble. False: it threw. `work` returns nothing.
  template <class Work>
  bool call(Work&& work) {
    const util::Result<> done = util::guarded(work);
    if (!done) {
      trouble(done.error());
    }
    return bool(done);
  }
  /// The same of a step that may lose what it was to do, see end_turn().
  template <class Work>
  void step(Work&& work) {
    m_threw = !call(work) || m_threw;
  }
  /// 0: no step threw since the last call. Else in how many turns one did, without a break, but no
  /// more than 12.
  int end_turn() {
    m_throws = std::exchange(m_threw, false) ? std::min(m_throws + 1, k_most) : 0;
    return m_throws;
  }

 private:
  static constexpr int k_most = 12;
  const std::function<void(const util::Error&)> m_tell;
  std::string m_told;
  bool m_threw = false;
  int m_throws = 0;
};

}  // namespace kubist::executors
