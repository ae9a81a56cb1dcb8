#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <kubist/data/pointer.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/executors/watch_loop.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "tree_view.hpp"

namespace kubist::executors {

using data::Json;
using engine::Cause;
using engine::Key;
using engine::Schedule;
using util::cat;

namespace {

using Steady = std::chrono::steady_clock::time_point;

/// Watch events of one kind come often in bursts: a folder that is applied.
constexpr std::chrono::milliseconds k_gather{50};
constexpr std::chrono::seconds k_try_again{5};

/// What the watch threads tell the loop.
class Inbox {
 public:
  void push(Key key, Cause cause) {
    const std::lock_guard lock(m_mutex);
    m_events.emplace_back(std::move(key), cause);
    m_wake.notify_all();
  }
  /// Waits until there is something, `until` passes, or stop.
  std::deque<std::pair<Key, Cause>> take(std::optional<Steady> until, const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    const auto ready = [this] { return !m_events.empty(); };
    if (until) {
      m_wake.wait_until(lock, stop, *until, ready);
    } else {
      m_wake.wait(lock, stop, ready);
    }
    return std::exchange(m_events, {});
  }

 private:
  std::mutex m_mutex;
  std::condition_variable_any m_wake;
  std::deque<std::pair<Key, Cause>> m_events;
};

/// Watches one kind at home and turns its events into causes.
class KindWatch {
 public:
  KindWatch(Session& session, const resources::Kind& kind, const std::string& ns, Inbox& inbox)
      : m_session(session), m_inbox(inbox) {
    m_options.resource = resource_of(kind);
    m_options.ns = kind.namespaced ? ns : "";
    m_thread = std::jthread([this](std::stop_token stop) { run(stop); });
  }

 private:
  void run(const std::stop_token& stop) {
    const auto ended = kube::watch(
        m_session.home(), m_options, [this](const kube::WatchEvent& event) { return take(event); },
        stop);
    static_cast<void>(ended);  // a kind that may not be watched is covered by due times
  }

  util::Result<> take(const kube::WatchEvent& event) {
    using Type = kube::WatchEventType;
    if (event.type == Type::bookmark) {
      return {};
    }
    if (event.type == Type::relisted) {
      end_listing();
      return {};
    }
    KUBIST_TRY(Json object, event.json());
    const Key key{m_options.resource.group, m_options.resource.kind, std::string(event.ns),
                  std::string(event.name)};
    if (event.type == Type::listed) {
      m_listed.insert(key);
    }
    const auto known = m_known.find(key);
    const Json* before = known == m_known.end() ? nullptr : &known->second;
    const bool gone = event.type == Type::deleted;
    const auto cause = engine::cause_of(before, gone ? nullptr : &object);
    if (cause && (m_primed || event.type != Type::listed)) {
      m_inbox.push(key, *cause);
    }
    if (gone) {
      m_known.erase(key);
    } else {
      m_known[key] = std::move(object);
    }
    return {};
  }

  // What was known before and is not in the new listing went away while nobody watched.
  void end_listing() {
    for (auto entry = m_known.begin(); entry != m_known.end();) {
      if (m_listed.contains(entry->first)) {
        ++entry;
      } else {
        m_inbox.push(entry->first, Cause::deleted);
        entry = m_known.erase(entry);
      }
    }
    m_listed.clear();
    m_primed = true;
  }

  Session& m_session;
  Inbox& m_inbox;
  kube::WatchOptions m_options;
  std::map<Key, Json> m_known;
  std::set<Key> m_listed;
  bool m_primed = false;  ///< the first listing is what the first run saw
  std::jthread m_thread;  ///< last: it uses all of the above
};

/// Watches the namespaces that kubist keeps at home: a change by others is drift.
class DriftWatch {
 public:
  DriftWatch(Session& session, Inbox& inbox) : m_session(session), m_inbox(inbox) {
    m_options.resource = kube::well_known::namespaces();
    m_options.label_selector = cat(k_managed_by_label, "=kubist");
    m_thread = std::jthread([this](std::stop_token stop) {
      static_cast<void>(kube::watch(
          m_session.home(), m_options,
          [this](const kube::WatchEvent& event) { return take(event); }, stop));
    });
  }

 private:
  util::Result<> take(const kube::WatchEvent& event) {
    using Type = kube::WatchEventType;
    if (event.type != Type::modified && event.type != Type::deleted) {
      return {};
    }
    KUBIST_TRY(const Json object, event.json());
    const auto parts =
        util::split(resources::ObjectView(object).annotation(k_owner_annotation), '/');
    if (parts.size() == 4) {
      m_inbox.push({std::string(resources::k_kubist_group), parts[1], parts[2], parts[3]},
                   Cause::drift);
    }
    return {};
  }

  Session& m_session;
  Inbox& m_inbox;
  kube::WatchOptions m_options;
  std::jthread m_thread;
};

/// What the loop was asked to look after: everything, or some subtrees. A new object counts by the
/// namespace that it is in.
class Scope {
 public:
  explicit Scope(const std::vector<Key>& selection) : m_selection(selection) {}
  void update(const engine::Graph& graph) {
    for (const Key& key : m_selection) {
      for (engine::NodeId top : graph.find(key)) {
        for (engine::NodeId id : graph.subtree(top)) {
          m_keys.insert(graph[id].key);
          m_namespaces.insert(graph[id].key.ns);
        }
      }
    }
    m_namespaces.erase("");
  }
  bool contains(const Key& key) const {
    return m_selection.empty() || m_keys.contains(key) || m_namespaces.contains(key.ns);
  }

 private:
  const std::vector<Key>& m_selection;
  std::set<Key> m_keys;
  std::set<std::string> m_namespaces;
};

void add_events(Schedule& schedule, const engine::Graph& graph, const Scope& scope,
                const std::deque<std::pair<Key, Cause>>& events) {
  for (const auto& [key, cause] : events) {
    // A new object is not in the graph of the last run yet: it is asked for by itself.
    const bool fresh = cause == Cause::created && graph.find(key).empty();
    for (const Key& asked : fresh ? std::vector<Key>{key} : engine::affected(graph, key, cause)) {
      if (!scope.contains(asked)) {
        continue;
      }
      schedule.add(asked, std::chrono::steady_clock::now() + k_gather, cause);
    }
  }
}

}  // namespace

util::Result<> watch_and_reconcile(Session& session, const ReconcileOptions& options,
                                   engine::Observer& observer, const WatchHooks& hooks,
                                   const std::stop_token& stop) {
  ReconcileOptions each = options;
  if (each.only_namespace.empty()) {
    // Of all that is watched, not of what one event asks for.
    KUBIST_TRY(each.only_namespace, namespace_of(session.home(), options.selection, stop));
  }
  const std::string ns = each.only_namespace == "*" ? "" : each.only_namespace;
  Inbox inbox;
  std::vector<std::unique_ptr<KindWatch>> watches;
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.node) {
      watches.push_back(std::make_unique<KindWatch>(session, kind, ns, inbox));
    }
  }
  const DriftWatch drift(session, inbox);
  each.settle = std::chrono::milliseconds(0);
  KUBIST_TRY(Run run, session.run(each, observer, stop));
  hooks.finished(run);
  each.ignore_missing = true;  // it may have gone since
  Scope scope(options.selection);
  scope.update(run.graph);
  Schedule schedule;
  engine::schedule_from(schedule, run.report, run.graph, std::chrono::steady_clock::now());
  while (!stop.stop_requested()) {
    add_events(schedule, run.graph, scope, inbox.take(schedule.next(), stop));
    const auto due = schedule.take_due(std::chrono::steady_clock::now(), run.graph);
    if (due.empty() || stop.stop_requested()) {
      continue;
    }
    hooks.starting(due);
    each.selection.clear();
    for (const Schedule::Due& entry : due) {
      each.selection.push_back(entry.key);
    }
    auto next = session.run(each, observer, stop);
    const auto now = std::chrono::steady_clock::now();
    if (!next) {
      hooks.trouble(next.error());
      for (const Schedule::Due& entry : due) {
        if (next.error().kind != util::ErrorKind::not_found) {
          schedule.add(entry.key, now + k_try_again, Cause::retry);
        }
      }
      continue;
    }
    run = std::move(*next);
    scope.update(run.graph);
    hooks.finished(run);
    engine::schedule_from(schedule, run.report, run.graph, now);
  }
  return {};
}

}  // namespace kubist::executors
