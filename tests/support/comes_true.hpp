#pragma once
#include <chrono>
#include <functional>
#include <thread>

namespace kubist::testing {

/// Waits for what other threads do; false: it did not come true in time.
inline bool comes_true(const std::function<bool()>& holds,
                       std::chrono::seconds limit = std::chrono::seconds(30)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace kubist::testing
