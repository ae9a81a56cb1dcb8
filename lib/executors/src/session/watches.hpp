#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/engine/triggers.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/resources/kinds.hpp>

#include "world/absences.hpp"

namespace kubist::executors {

/// What the watch threads and the runs tell the loop.
class Inbox {
 public:
  using Events = std::deque<std::pair<engine::Key, engine::Cause>>;
  void push(engine::Key key, engine::Cause cause);
  /// There is something else to see.
  void wake();
  /// Waits until there is something, `until` passes, or stop.
  Events take(std::optional<std::chrono::steady_clock::time_point> until,
              const std::stop_token& stop);

 private:
  std::mutex m_mutex;
  std::condition_variable_any m_wake;
  Events m_events;
  bool m_woken = false;
};

/// Watches one kind at home and turns its events into causes (an Approval's into its release's).
/// Lasts: while a kind may not be watched, `absences` tells so, and it is listed again and again.
class KindWatch {
 public:
  /// REQUIRES: `inbox` and `absences` outlive it.
  KindWatch(std::shared_ptr<kube::Client> home, const resources::Kind& kind, const std::string& ns,
            Inbox& inbox, Absences& absences);
  /// The same of a kind that an ExecutorDefinition serves, which a run came to know: what is found
  /// first is looked at too, for it may be newer than that run.
  KindWatch(std::shared_ptr<kube::Client> home, const kube::ApiResource& served,
            const std::string& ns, Inbox& inbox, Absences& absences);

 private:
  KindWatch(std::shared_ptr<kube::Client> home, kube::ApiResource resource, std::string selector,
            const std::string& ns, bool late, Inbox& inbox, Absences& absences);
  util::Result<> take(const kube::WatchEvent& event);
  void end_listing();

  Inbox& m_inbox;
  kube::WatchOptions m_options;
  std::map<engine::Key, data::Json> m_known;
  std::set<engine::Key> m_listed;
  bool m_primed;          ///< else the first listing is what the first run saw
  std::jthread m_thread;  ///< last: it uses all of the above
};

/// Watches the namespaces that kubist keeps, and what the traffic kinds keep in them, on every
/// cluster that it is connected to: a change by others is drift of the node that owns it, also one
/// that happened while no watch stood. They last as a KindWatch does.
class DriftWatches {
 public:
  /// Of owners on the home cluster with that uid alone. REQUIRES: `inbox` and `absences` outlive
  /// it.
  DriftWatches(std::string home_uid, Inbox& inbox, Absences& absences);
  ~DriftWatches();
  /// Watches by these what the graph's nodes keep, ends the watches of others. `late`: a run has
  /// looked at it before, so what is found first counts as drift too: it may have changed between.
  void follow(const std::vector<std::shared_ptr<kube::Client>>& clients, const engine::Graph& graph,
              bool late);

 private:
  class One;
  void watch(const std::shared_ptr<kube::Client>& client, const kube::ApiResource& resource,
             bool late);

  std::string m_home_uid;
  Inbox& m_inbox;
  Absences& m_absences;
  /// By client and resource.
  std::map<std::pair<std::shared_ptr<kube::Client>, std::string>, std::unique_ptr<One>> m_watches;
};

}  // namespace kubist::executors
