#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <kubist/engine/triggers.hpp>
#include <kubist/executors/session.hpp>

#include "session/held_tree.hpp"
#include "session/pace.hpp"
#include "session/watches.hpp"

namespace kubist::executors {

/// What --watch was asked to look after: everything, or some subtrees. A new object counts by the
/// namespace that it is in.
class Scope {
 public:
  /// REQUIRES: `selection` outlives it; empty: everything.
  explicit Scope(const std::vector<engine::Key>& selection) : m_selection(selection) {}
  void update(const engine::Graph& graph);
  bool contains(const engine::Key& key) const;

 private:
  const std::vector<engine::Key>& m_selection;
  std::set<engine::Key> m_keys;
  std::set<std::string> m_namespaces;
};

/// Which subtrees are to run when, by what watches, runs and the clock ask for. Nothing is due
/// before a tree has been seen. One thread.
class Agenda {
 public:
  using Time = engine::Schedule::Time;
  using Due = engine::Schedule::Due;

  /// `resync`: how often all of the selection is due; 0: never. `say` tells people once where
  /// drift is left to it. REQUIRES: `selection` outlives it.
  Agenda(
      const std::vector<engine::Key>& selection, std::chrono::milliseconds resync,
      std::function<void(std::string line)> say = [](const std::string&) {});
  /// From here on this tree tells what lies where.
  void see(std::shared_ptr<const engine::Graph> tree);
  /// False: none was seen.
  const HeldTree& tree() const { return m_tree; }
  /// Nobody will ask for a while: holds it in less memory.
  void rest() { m_tree.rest(); }

  /// What throws costs one of them: the next call goes on with those behind it.
  void add(const Inbox::Events& events);
  /// So much drift waits for a tree that has its nodes that no more is kept.
  bool wants_tree() const;
  /// What a run that ended asks for.
  void add(const Run& run);
  /// A run that could not be made is tried again.
  void add_failed(const std::vector<Due>& due);
  /// What was away is back: what failed in these projects, by their namespaces (nothing: in all),
  /// waits for its turn no longer.
  void retry_failed(const std::optional<std::set<std::string>>& projects);
  /// All of the selection is due then at the latest, as by the resync.
  void look_again(Time at);
  /// Runs of these begin.
  void begin(const std::vector<Due>& due);

  /// When something is due; nothing: never.
  std::optional<Time> next() const;
  std::vector<Due> take_due();
  const engine::Schedule& schedule() const { return m_schedule; }

 private:
  void add_waiting(const engine::Graph& before);
  void retry_beside(const Run& run);
  /// A node that failed when it last ran.
  struct Failed {
    Time asked = Time::min();  ///< what retry() last asked for
    int times = 0;             ///< in a row
  };
  void retry(const engine::Key& key, Failed& failed);
  void add_events();
  void add_event(const engine::Key& key, const engine::Trigger& cause);
  void add_unknown(const engine::Key& key, const engine::Trigger& cause);
  Pace* pace_of(engine::Cause cause);  ///< null: there is none
  void set_resync();
  void resync();

  const std::vector<engine::Key>& m_selection;
  const std::chrono::milliseconds m_resync;
  const std::function<void(std::string)> m_say;
  bool m_said = false;
  HeldTree m_tree;
  Scope m_scope;
  engine::Schedule m_schedule;
  /// What kubist and another controller write by turns would else be written without end.
  Pace m_drift{20, std::chrono::seconds(10)};
  Pace m_asked{4,
               std::chrono::seconds(5)};  ///< anybody in a project may ask, as often as they like
  Inbox::Events m_events;                 ///< that wait for the first tree
  /// Drift of what the tree lacks, and the next one may have.
  std::map<engine::Key, engine::Trigger> m_unknown;
  std::map<engine::Key, Failed> m_failed;
  /// By what is above them: when a node last became Ready.
  std::map<engine::Key, std::chrono::system_clock::time_point> m_ready;
  Time m_resync_at = Time::max();
};

}  // namespace kubist::executors
