#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

#include <kubist/util/clock.hpp>

namespace kubist::cli {

/// A stop token that fires when `outer` does or after `timeout` (0: never by itself).
class Deadline {
 public:
  Deadline(std::chrono::nanoseconds timeout, const std::stop_token& outer)
      : m_forward(outer, [this] { m_source.request_stop(); }) {
    if (timeout.count() > 0) {
      m_timer = std::jthread([this, timeout](std::stop_token own) {
        if (util::sleep_for(timeout, own)) {
          m_passed = true;
          m_source.request_stop();
        }
      });
    }
  }
  std::stop_token token() const { return m_source.get_token(); }
  bool passed() const { return m_passed; }

 private:
  std::stop_source m_source;
  std::atomic<bool> m_passed = false;
  std::stop_callback<std::function<void()>> m_forward;
  std::jthread m_timer;
};

}  // namespace kubist::cli
