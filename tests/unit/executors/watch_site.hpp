#pragma once
#include <condition_variable>
#include <functional>
#include <set>
#include <thread>

#include <kubist/data/pointer.hpp>
#include <kubist/executors/watch_loop.hpp>

#include "site.hpp"
#include "support/comes_true.hpp"

namespace site {

/// --watch over the site, until it is ended. `adjust` may set hooks of its own.
class Watch {
 public:
  explicit Watch(Site& site, executors::ReconcileOptions options = {},
                 const std::function<void(executors::WatchHooks&)>& adjust = nullptr) {
    m_hooks.away = [this](const std::string& told) {
      const std::lock_guard lock(m_mutex);
      line = told;
      ++away;
    };
    m_hooks.starting = [this](const auto&, const auto& due) {
      const std::lock_guard lock(m_mutex);
      for (const auto& entry : due) {
        asked.insert(entry.key.name);
      }
    };
    m_hooks.finished = [this](const executors::Run&) { ++finished; };
    m_hooks.trouble = [this](const util::Error& error) {
      const std::lock_guard lock(m_mutex);
      troubles.push_back(error.to_string());
    };
    if (adjust) {
      adjust(m_hooks);
    }
    m_thread = std::jthread([this, &site, options = std::move(options)] {
      ended = executors::watch_and_reconcile(*site.session, options, m_observer, m_hooks,
                                             m_stop.get_token());
    });
  }
  ~Watch() { end(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  void end() {
    m_stop.request_stop();
    if (m_thread.joinable()) {
      m_thread.join();
    }
  }

  bool is_asked(const std::string& name) {
    const std::lock_guard lock(m_mutex);
    return asked.contains(name);
  }

  std::atomic<int> finished = 0, away = 0;
  std::string line;  ///< that was told last of a watch
  std::vector<std::string> troubles;
  std::set<std::string> asked;  ///< names of the nodes that a run was asked for
  util::Result<> ended;

 private:
  std::mutex m_mutex;
  std::stop_source m_stop;
  engine::Observer m_observer;
  executors::WatchHooks m_hooks;
  std::jthread m_thread;
};

/// The first such request, or the `nth`, gets no answer before it is let go.
class Gate {
 public:
  Gate(testing::FakeCluster& cluster, const std::string& pattern, int nth = 1) : m_left(nth) {
    const auto hold = [this] {
      std::unique_lock lock(m_mutex);
      reached = --m_left == 0;
      m_changed.wait(lock, [this] { return m_open || m_left > 0; });
    };
    cluster.before(pattern, hold, nth);
  }
  void open() {
    const std::lock_guard lock(m_mutex);
    m_open = true;
    m_changed.notify_all();
  }
  std::atomic<bool> reached = false;

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_open = false;
  int m_left;
};

inline bool is_ready(Site& s, const std::string& name, const std::string& project = "shop") {
  return condition(s.vc(project, name)) == "True";
}

}  // namespace site
