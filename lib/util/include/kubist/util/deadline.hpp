#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include <kubist/util/clock.hpp>
#include <kubist/util/result.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {

/// A stop token that fires when `outer` does or after `timeout` (0: never by itself). Any thread
/// may use it.
class Deadline {
 public:
  /// Throws std::system_error where no thread can be made: the engine catches it in a run
  /// (guarded()), and cli::run() in a command.
  Deadline(std::chrono::nanoseconds timeout, const std::stop_token& outer)
      : m_forward(outer, [this] { m_source.request_stop(); }) {
    if (timeout.count() > 0) {
      m_timer = std::jthread([this, timeout](std::stop_token own) {
        if (sleep_for(timeout, own)) {
          m_passed = true;
          m_source.request_stop();
        }
      });
    }
  }
  std::stop_token token() const { return m_source.get_token(); }
  bool passed() const { return m_passed; }
  /// The error of what the token ended: timeout where the time is over, else cancelled. `left` says
  /// what is not done.
  tl::unexpected<util::Error> cut_short(std::string_view left, std::string hint = {}) const {
    return m_passed ? fail(ErrorKind::timeout, cat("the time is over: ", left), std::move(hint))
                    : fail(ErrorKind::cancelled, cat("stopped: ", left), std::move(hint));
  }

 private:
  std::stop_source m_source;
  std::atomic<bool> m_passed = false;
  std::stop_callback<std::function<void()>> m_forward;
  std::jthread m_timer;
};

}  // namespace kubist::util
