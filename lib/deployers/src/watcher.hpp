#pragma once
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include <kubist/deployers/deployer.hpp>

namespace kubist::deployers {

/// Watches single objects, each in a thread of its own, and wakes one waiter when any of them
/// changes. wait() belongs to one thread.
class Watcher {
 public:
  explicit Watcher(std::stop_token stop) : m_stop(std::move(stop)) {}

  /// Watches these objects from now on, and no others. A new watch always wakes the next wait(),
  /// for what happened before it began.
  void set(const std::vector<WatchRequest>& requests);

  /// The resourceVersion of what the watch of that object told last; empty: nothing yet.
  std::string latest(const WatchRequest& request) const;

  /// Until something changed, `limit` passed, or stop. Fails when a watch was refused.
  util::Result<> wait(std::optional<std::chrono::milliseconds> limit);

 private:
  void run(const WatchRequest& request, const std::stop_token& stop);
  void wake(const std::string& key, std::string_view resource_version);

  std::stop_token m_stop;
  mutable std::mutex m_mutex;
  std::condition_variable_any m_changed;
  bool m_event = false;
  std::optional<util::Error> m_error;
  std::map<std::string, std::string> m_latest;
  std::map<std::string, std::jthread> m_threads;  ///< last: they end before what they use
};

}  // namespace kubist::deployers
