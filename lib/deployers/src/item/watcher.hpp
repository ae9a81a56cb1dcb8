#pragma once
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include <kubist/deployers/deployer.hpp>
#include <kubist/kube/watch_hub.hpp>

namespace kubist::deployers {

/// The item itself; everybody who drives an item of the namespace shares the watch.
WatchRequest watch_of_item(const World& world, const std::string& ns, const std::string& name);

/// Watches objects and wakes one waiter when any of them changes. wait() belongs to one thread.
class Watcher {
 public:
  explicit Watcher(std::stop_token stop) : m_stop(std::move(stop)) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// Watches these objects from now on, and no others. A new watch always wakes the next wait(),
  /// for what happened before it began.
  void set(const std::vector<WatchRequest>& requests);

  /// The resourceVersion of what the watch of that object told last; empty: nothing yet.
  std::string latest(const WatchRequest& request) const;

  /// Until something changed, `limit` passed, or stop. Fails when a watch was refused.
  util::Result<> wait(std::optional<std::chrono::milliseconds> limit);

 private:
  void wake(const std::string& key, std::string_view resource_version);
  void fail(const util::Error& error);

  std::stop_token m_stop;
  mutable std::mutex m_mutex;
  std::condition_variable_any m_changed;
  bool m_event = false;
  std::optional<util::Error> m_error;
  std::map<std::string, std::string> m_latest;
  std::map<std::string, kube::Subscription> m_watches;  ///< last: they end before what they use
};

}  // namespace kubist::deployers
