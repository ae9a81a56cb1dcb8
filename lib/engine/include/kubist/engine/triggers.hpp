#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/engine/report.hpp>

namespace kubist::engine {

/// Why a subtree is looked at again.
enum class Cause { created, changed, deleted, requested, drift, due, retry, resync };
std::string_view to_string(Cause cause);

/// A cause, and what it came from where that is not the object itself, for people:
/// "ConfigMap/shop/web", "reconcile@x7k2".
struct Trigger {
  Trigger(Cause why = Cause::changed, std::string from = {}) : cause(why), of(std::move(from)) {}
  operator Cause() const { return cause; }
  Cause cause;
  std::string of;
};
/// "drift (ConfigMap/shop/web)".
std::string to_string(const Trigger& trigger);

/// Does a watch event on a kubist object ask for a run? `before`: the last version seen, null when
/// new; `after`: the version now, null when gone. Changes of status, labels (but of a
/// VirtualCluster, which selectors read) and other annotations than kubist.io/request do not: our
/// own status writes must not wake us.
std::optional<Cause> cause_of(const Json* before, const Json* after);

/// The objects whose runs an event on `object` asks for, given the graph in which it was last seen:
/// itself, or what stands above it, if anything does, when it is gone (the parent must notice); of
/// a PolicyDefinition or ClusterPolicyDefinition those that name it, of an ExecutorDefinition also
/// those that name none.
std::vector<Key> affected(const Graph& graph, const Key& object, Cause cause);

/// What has to run when: one entry per subtree, the earliest time wins. Pure; not thread-safe. A
/// call that throws loses nothing but what it was about.
class Schedule {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Due {
    Key key;
    Trigger cause;
  };

  /// Asks for a run of the subtree of `key` at `when`, or keeps an earlier one. Of two causes what
  /// happened to a kubist object counts before drift, and drift before kubist's own (due, retry,
  /// resync); else that of the earlier.
  void add(const Key& key, Time when, const Trigger& cause);
  /// The time of the nearest entry; nothing when there is none.
  std::optional<Time> next() const;
  /// Takes all entries due at `now`. Those below another due one are dropped: its run covers them.
  std::vector<Due> take_due(Time now, const Graph& graph);
  std::size_t size() const { return m_entries.size(); }
  /// How many subtrees have been asked for so far, each once while it waits.
  std::size_t added() const { return m_added; }

 private:
  struct Entry {
    Time when;
    Trigger cause;
  };
  std::map<Key, Entry> m_entries;
  std::set<std::pair<Time, Key>> m_queue;
  std::size_t m_added = 0;
};

/// Adds what a finished run asks for: its nodes' requeue_after (retries of failed ones included)
/// from `now`, and at once those outside the run that waited for a node that became Ready or is
/// gone. Of a foreign node, whose status does not count how often it failed in a row, `failures`
/// does (null: nobody).
void schedule_from(Schedule& schedule, const Report& report, const Graph& graph, Schedule::Time now,
                   const std::function<int(const Key&)>& failures = nullptr);

}  // namespace kubist::engine
