#pragma once
#include <memory>
#include <stop_token>

namespace kubist::util {

/// Turns SIGINT and SIGTERM into a stop request. One per process. A second signal ends the process
/// at once with 128 + its number.
class Cancellation {
 public:
  Cancellation();
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  /// The first call blocks the signals in the calling thread (so it comes before other threads
  /// start) and starts one that waits for them. Until then they end the process.
  const std::stop_token& token();
  /// SIGINT or SIGTERM when a signal asked to stop, else 0.
  int signal() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace kubist::util
