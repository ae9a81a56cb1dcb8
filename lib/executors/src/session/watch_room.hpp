#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "world/absences.hpp"

namespace kubist::executors {

/// How many watches there may be of what projects' objects name: each has a thread and a
/// connection. 64 of a project, 512 in all. Any thread.
class WatchRoom {
 public:
  /// A watch holds it as long as it lasts. The room outlives it.
  using Seat = std::shared_ptr<void>;

  /// REQUIRES: `absences` outlives it.
  explicit WatchRoom(Absences& absences) : m_absences(absences) {}
  WatchRoom(const WatchRoom&) = delete;
  WatchRoom& operator=(const WatchRoom&) = delete;
  /// Null: the project (its namespace), or all together, have as many as they may. Once of each
  /// project `absences` is told so.
  Seat take(const std::string& project);

 private:
  void give_back(const std::string& project);

  Absences& m_absences;
  std::mutex m_mutex;  ///< guards what follows
  std::map<std::string, std::size_t> m_taken;
  std::size_t m_all = 0;
  std::set<std::string> m_full;  ///< projects that it has told of
};

}  // namespace kubist::executors
