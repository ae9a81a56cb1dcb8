#pragma once
#include <algorithm>
#include <chrono>
#include <map>

#include <kubist/engine/graph.hpp>

namespace kubist::executors {

/// When the drift of a node is looked at: at once, but where it goes on for long every 10 s. What
/// kubist and another controller write by turns would else be written without end. One thread.
class DriftPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  Time next(const engine::Key& node, Time now) {
    constexpr double k_at_once = 20;
    constexpr std::chrono::duration<double> k_each = std::chrono::seconds(10);
    const auto [entry, fresh] = m_left.try_emplace(node, Left{k_at_once, now});
    Left& left = entry->second;
    left.count = std::min(k_at_once, left.count + (now - left.at) / k_each);
    left.at = now;
    if (left.count < 1) {
      return now + std::chrono::duration_cast<Time::duration>((1 - left.count) * k_each);
    }
    left.count -= 1;
    return now;
  }

 private:
  struct Left {
    double count;
    Time at;
  };
  std::map<engine::Key, Left> m_left;
};

}  // namespace kubist::executors
