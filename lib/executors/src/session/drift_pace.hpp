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
  /// When the next run for drift of that node may begin.
  Time next(const engine::Key& node, Time now) const {
    const auto found = m_left.find(node);
    const double left = found == m_left.end() ? k_at_once : left_of(found->second, now);
    return left >= 1 ? now : now + std::chrono::duration_cast<Time::duration>((1 - left) * k_each);
  }
  /// One begins, whatever number of changes it is for.
  void count(const engine::Key& node, Time now) {
    std::erase_if(m_left, [&](const auto& each) { return left_of(each.second, now) >= k_at_once; });
    Left& left = m_left.try_emplace(node, Left{k_at_once, now}).first->second;
    left = {std::max(0.0, left_of(left, now) - 1), now};
  }

 private:
  static constexpr double k_at_once = 20;
  static constexpr std::chrono::duration<double> k_each = std::chrono::seconds(10);
  struct Left {
    double count;
    Time at;
  };
  static double left_of(const Left& left, Time now) {
    return std::min(k_at_once, left.count + (now - left.at) / k_each);
  }
  std::map<engine::Key, Left> m_left;  ///< of those that had such runs lately
};

}  // namespace kubist::executors
