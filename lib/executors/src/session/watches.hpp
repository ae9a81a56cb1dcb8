#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/engine/triggers.hpp>
#include <kubist/kube/watch.hpp>

#include "session/ended_watches.hpp"
#include "session/keepers.hpp"
#include "session/watch_room.hpp"
#include "world/absences.hpp"

namespace kubist::executors {

/// What the watches and the runs tell the loop.
class Inbox {
 public:
  using Events = std::deque<std::pair<engine::Key, engine::Trigger>>;
  enum class Wakes {
    by_causes,      ///< what asks for a run
    by_everything,  ///< a status, too
  };
  explicit Inbox(Wakes wakes = Wakes::by_causes) : m_wakes(wakes) {}
  /// Drift of a node that waits here for drift already is left out: anybody may change objects
  /// without end, which many nodes read.
  void push(engine::Key key, engine::Trigger cause);
  /// There is something else to see.
  void wake();
  /// A watch has told of an object, whatever that means.
  void saw();
  /// What has failed there may succeed now.
  void retry(Sight there);
  /// Of which retry() has told since the last time.
  std::vector<Sight> take_retries();
  /// Waits until there is something, `until` passes, or stop.
  Events take(std::optional<std::chrono::steady_clock::time_point> until,
              const std::stop_token& stop);

 private:
  const Wakes m_wakes;
  std::mutex m_mutex;
  std::condition_variable_any m_wake;
  Events m_events;
  std::set<engine::Key> m_drifted;  ///< of which m_events has drift
  bool m_woken = false;
  std::vector<Sight> m_retries;
};

/// A watch for good: what takes it away is told. Objects with longer names than k_longest_name are
/// passed over: a server may send them without end. It sets the callbacks of `options`; `absences`
/// outlives it. `on_turn` may add to what is told of the trouble (null: it is back). Throws where
/// the process may have no more threads.
kube::StandingWatch watch_for_good(
    const std::shared_ptr<kube::Client>& client, kube::WatchOptions& options,
    const std::string& name, Absences& absences, kube::WatchHandler handler,
    const std::function<void(util::Error* trouble)>& on_turn = [](util::Error*) {});

/// The projects, by their namespaces, of which --watch sees the objects.
struct WatchedNamespaces {
  std::string only;  ///< empty: all
  /// Only these, where the server forbids all from the first; empty: there is no such choice.
  std::set<std::string> or_else = {};
  bool allows(const std::string& ns) const {
    return only.empty() ? or_else.empty() || or_else.contains(ns) : only == ns;
  }
};

class DriftWatch;

/// Watches the namespaces that kubist keeps, and what the traffic kinds keep in them, on every
/// cluster that it is connected to: a change by others is drift of the node that owns it, also one
/// that happened while no watch stood. Who may write an object there may mark it as anybody's: it
/// counts where the owner's project keeps something. They last as a KindWatch does.
///
/// A watch of another cluster takes a place in `cluster_room`, of a project that leads there. One
/// at home of a kind that only statuses name takes one in `room`.
///
/// A kind that the server forbids to watch everywhere is watched where nodes keep something: each
/// namespace by its name, and what is in one as the account that made it, where kubist acts as it.
/// Where there is no room for a watch, the resync finds the drift.
class DriftWatches {
 public:
  /// Of owners on the session's home cluster. Watches its namespaces from here on, and believes
  /// each mark there until it follows a tree. REQUIRES: all outlive it.
  DriftWatches(Session& session, WatchedNamespaces where, WatchRoom& room, WatchRoom& cluster_room,
               Inbox& inbox, Absences& absences);
  ~DriftWatches();
  /// Watches by the session's clients what the graph's nodes keep, ends the watches of others. A
  /// run may have looked at it before, so what a listing finds first from now on counts as drift,
  /// too: it may have changed between.
  void follow(const engine::Graph& graph);
  /// As World::makes_as tells it. Any thread.
  void makes_as(const engine::Key& node, const std::shared_ptr<kube::Client>& maker);
  /// A watch was forbidden since it has followed a tree: it is to do so again.
  bool is_outdated();
  /// Is any forbidden? What it watches then depends on what runs have made.
  bool is_limited();

 private:
  /// What a watch is of.
  struct Place {
    std::shared_ptr<kube::Client> cluster;
    std::string resource;  ///< with its group
    std::string ns, name;  ///< of a part
    std::string user;      ///< as whom; empty: as the client
    auto operator<=>(const Place&) const = default;
  };
  using Watches = std::map<Place, std::unique_ptr<DriftWatch>>;
  /// A cluster, by the client that leads there, and a kind, by group and resource.
  using Whole = std::pair<std::shared_ptr<kube::Client>, std::string>;
  using Make = std::function<std::unique_ptr<DriftWatch>(WatchRoom::Seat)>;
  /// The projects that a watch is for; nothing: it is kubist's own, and needs no room.
  using Projects = std::optional<std::set<std::string>>;
  using Clients = std::vector<std::shared_ptr<kube::Client>>;
  /// As whom a part is watched.
  struct Watcher {
    std::string user = {};                           ///< as of a Place
    std::shared_ptr<kube::Client> client = nullptr;  ///< null: the project's account
    const engine::Node* project = nullptr;           ///< whose it is
  };
  /// By the projects that the part is for.
  using Watchers = std::map<std::string, Watcher>;
  void follow(const engine::Graph& graph, const Clients& clients, const std::set<Whole>& refused,
              Watches& former);
  void tell_long_lists(const engine::Graph& graph);
  Projects projects_at(const kube::Client& client, const std::set<std::string>& by);
  /// Takes over that watch of the previous ones, if it has a seat of one of these projects, or
  /// makes it (null: not now) where one of them has room.
  void keep(const Place& place, WatchRoom& room, const Projects& projects,
            const std::shared_ptr<const KeepersThere>& keepers, Watches& former, const Make& make);
  /// `by`: the projects that keep that kind only by what statuses say.
  void watch_whole(const std::shared_ptr<kube::Client>& client, const kube::ApiResource& resource,
                   const std::set<std::string>& by,
                   const std::shared_ptr<const KeepersThere>& keepers, Watches& former);
  void watch_parts(const std::shared_ptr<kube::Client>& client, const kube::ApiResource& resource,
                   const KeptPlaces& places, const std::shared_ptr<const KeepersThere>& keepers,
                   Watches& former);
  void watch_part(const Place& place, const kube::ApiResource& resource, const Watchers& by,
                  const std::shared_ptr<const KeepersThere>& keepers, Watches& former);
  Watcher watcher_of(const engine::Node* keeper, const std::shared_ptr<kube::Client>& client,
                     const KeptPlace& place);
  /// Null: it has none, or no run has said so.
  std::shared_ptr<kube::Client> maker_of(const engine::Node* keeper);

  Session& m_session;
  const WatchedNamespaces m_where;
  WatchRoom& m_room;
  WatchRoom& m_cluster_room;
  Inbox& m_inbox;
  Absences& m_absences;
  std::set<engine::Key> m_long_lists;  ///< that the tree has; each is told once
  std::mutex m_mutex;                  ///< guards what is told of refusals, and of makers
  std::set<Whole> m_refused;           ///< what may not be watched everywhere
  bool m_outdated = false;
  std::map<engine::Key, std::shared_ptr<kube::Client>> m_makers;
  Watches m_watches;     ///< they tell of refusals
  EndedWatches m_ended;  ///< last: so do they
};

}  // namespace kubist::executors
