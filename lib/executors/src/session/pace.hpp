#pragma once
#include <algorithm>
#include <chrono>
#include <map>

#include <kubist/engine/graph.hpp>

namespace kubist::executors {

/// When a node is looked at for what others may bring about without end: some times at once, and
/// where it goes on for long then now and again. One thread.
class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// `at_once` times, and one more after each `each`.
  Pace(double at_once, std::chrono::duration<double> each) : m_at_once(at_once), m_each(each) {}
  /// When the next such run of that node may begin.
  Time next(const engine::Key& node, Time now) const {
    const auto found = m_left.find(node);
    const double left = found == m_left.end() ? m_at_once : left_of(found->second, now);
    return left >= 1 ? now : now + std::chrono::duration_cast<Time::duration>((1 - left) * m_each);
  }
  /// One begins, whatever number of changes it is for.
  void count(const engine::Key& node, Time now) {
    std::erase_if(m_left, [&](const auto& each) { return left_of(each.second, now) >= m_at_once; });
    Left& left = m_left.try_emplace(node, Left{m_at_once, now}).first->second;
    left = {std::max(0.0, left_of(left, now) - 1), now};
  }

 private:
  struct Left {
    double count;
    Time at;
  };
  double left_of(const Left& left, Time now) const {
    return std::min(m_at_once, left.count + (now - left.at) / m_each);
  }
  double m_at_once;
  std::chrono::duration<double> m_each;
  std::map<engine::Key, Left> m_left;  ///< of those that had such runs lately
};

}  // namespace kubist::executors
