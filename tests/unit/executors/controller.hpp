#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <kubist/executors/replica.hpp>
#include <kubist/executors/watch_loop.hpp>

#include "site.hpp"
#include "support/comes_true.hpp"

namespace site {

inline bool comes_true(const std::function<bool()>& holds) {
  return testing::comes_true(holds, std::chrono::seconds(60));
}

/// The loop of one replica over the site's home cluster, until it is ended.
class Controller {
 public:
  Controller(Site& site, const std::string& identity, engine::LockTimes times = {},
             const executors::ReconcileOptions& options_of_runs = {}) {
    m_client = site.home->connect(site.network, identity);
    executors::Replica::Options options;
    options.ns = "kubist-system";
    options.identity = identity;
    options.clock = &site.clock;
    options.times = times;
    m_replica = std::make_unique<executors::Replica>(m_client, options);
    REQUIRE(m_replica->start({}));
    auto session = site.session_options();
    session.identity = identity;
    session.replica = m_replica.get();
    m_session = executors::Session::open(m_client, session, {}).value();
    m_hooks.away = [this](const std::string& line) {
      const std::lock_guard lock(m_mutex);
      m_told += line + '\n';
    };
    m_hooks.starting = [](const auto&, const auto&) {};
    m_hooks.finished = [](const executors::Run&) {};
    m_hooks.trouble = [](const util::Error&) {};
    m_hooks.turned = [this](const executors::LoopState& state) {
      projects = state.projects.value_or(0);
    };
    m_thread = std::jthread([this, options_of_runs] {
      ended = executors::watch_and_reconcile(*m_session, options_of_runs, m_observer, m_hooks,
                                             m_stop.get_token());
    });
  }
  ~Controller() { end(); }
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  void end() {
    m_stop.request_stop();
    if (m_thread.joinable()) {
      m_thread.join();
    }
  }

  std::atomic<std::size_t> projects = 0;
  util::Result<> ended;
  /// The lines that people read.
  std::string told() const {
    const std::lock_guard lock(m_mutex);
    return m_told;
  }

 private:
  mutable std::mutex m_mutex;
  std::string m_told;
  std::shared_ptr<kube::Client> m_client;
  std::unique_ptr<executors::Replica> m_replica;
  std::unique_ptr<executors::Session> m_session;
  std::stop_source m_stop;
  engine::Observer m_observer;
  executors::WatchHooks m_hooks;
  std::jthread m_thread;
};

}  // namespace site
