#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

namespace kubist::util {

/// Turns SIGINT, SIGTERM and an optional deadline into a stop request. One per process: it blocks
/// the signals in the calling thread (so construct it before other threads start) and waits for
/// them in a thread of its own. A second signal ends the process at once with 128 + its number.
class Cancellation {
 public:
  explicit Cancellation(std::optional<std::chrono::nanoseconds> timeout = {});
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  std::stop_token token() const { return m_source.get_token(); }
  /// SIGINT or SIGTERM when a signal asked to stop, else 0.
  int signal() const;
  /// Did the deadline ask to stop?
  bool timed_out() const;

 private:
  struct State;
  std::stop_source m_source;
  std::unique_ptr<State> m_state;
};

}  // namespace kubist::util
