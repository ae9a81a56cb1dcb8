#pragma once
#include <kubist/util/clock.hpp>

namespace kubist::testing {

/// Stands still until it is told otherwise. One thread.
class FakeClock : public util::Clock {
 public:
  std::chrono::system_clock::time_point now() const override { return wall; }
  std::chrono::steady_clock::time_point monotonic() const override { return steady; }
  void advance(std::chrono::seconds by) {
    wall += by;
    steady += by;
  }
  std::chrono::system_clock::time_point wall{std::chrono::seconds(1'800'000'000)};
  std::chrono::steady_clock::time_point steady{std::chrono::seconds(1000)};
};

}  // namespace kubist::testing
