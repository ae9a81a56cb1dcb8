#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <kubist/http/guarded_transport.hpp>

namespace kubist::notify {

/// Sends in the background: a slow receiver holds nobody up, one that is away is tried again (up to
/// four times, as http::classify() allows). What did not arrive is told to `trouble`, from any
/// thread, without the address: that may be a secret. Any thread.
class Courier {
 public:
  explicit Courier(std::function<void(const std::string&)> trouble);
  /// Gives what is under way another moment (k_last_wait), then drops it.
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  /// How long a program waits at its end for receivers that do not answer.
  static constexpr std::chrono::seconds k_last_wait{5};

  /// Returns at once. `what` is said of it in trouble: "notification ci (webhook)". `project` is
  /// whose it is: a share of the places is all that one gets.
  void send(const std::string& project, const std::string& what, http::Request request);

  /// Says how it ended: with what went wrong, or empty. Called once.
  using Ended = std::function<void(const std::string& problem)>;
  /// Counts as under way what is sent by other means. Null where the project has its share already:
  /// it is to be dropped, and trouble knows.
  Ended track(const std::string& project, const std::string& what);

 private:
  struct State;
  std::shared_ptr<State> m_state;  ///< shared with what is under way
  http::GuardedEngine m_engine;
  std::shared_ptr<http::Transport> m_transport;
};

}  // namespace kubist::notify
