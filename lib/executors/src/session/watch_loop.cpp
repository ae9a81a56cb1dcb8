#include <map>
#include <set>

#include <kubist/executors/tree_view.hpp>
#include <kubist/executors/watch_loop.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/threads.hpp>

#include "session/watches.hpp"

namespace kubist::executors {

using engine::Cause;
using engine::Key;
using engine::Schedule;

namespace {

/// Watch events of one kind come often in bursts: a folder that is applied.
constexpr std::chrono::milliseconds k_gather{50};
constexpr std::chrono::seconds k_try_again{5};
constexpr std::chrono::minutes k_list_again{1};  // all, for the kinds that could not be listed

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
    const resources::Kind* kind = resources::find_kind(key.group, key.kind);
    const bool fresh =
        cause == Cause::created && graph.find(key).empty() && (kind == nullptr || kind->node);
    for (const Key& asked : fresh ? std::vector<Key>{key} : engine::affected(graph, key, cause)) {
      if (!scope.contains(asked)) {
        continue;
      }
      schedule.add(asked, std::chrono::steady_clock::now() + k_gather, cause);
    }
  }
}

void add_next(Schedule& schedule, const Run& run) {
  const auto now = std::chrono::steady_clock::now();
  engine::schedule_from(schedule, run.report, run.graph, now);
  if (run.incomplete) {
    for (const engine::NodeId root : run.graph.roots()) {
      schedule.add(run.graph[root].key, now + k_list_again, Cause::retry);
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
  Absences absences(hooks.away);
  std::vector<std::unique_ptr<KindWatch>> watches;
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.node || kind.name == "Approval" || kind.name.ends_with("Definition")) {
      watches.push_back(
          std::make_unique<KindWatch>(session.home_client(), kind, ns, inbox, absences));
    }
  }
  std::map<std::string, std::unique_ptr<KindWatch>> served;
  const auto follow_served = [&](const Run& run) {
    for (const kube::ApiResource& resource : run.served) {
      auto& present = served[resource.group_resource()];
      if (!present) {
        present = std::make_unique<KindWatch>(session.home_client(), resource, ns, inbox, absences);
      }
    }
  };
  DriftWatches drift(session.home_uid(), inbox, absences);
  drift.follow({session.home_client()}, engine::Graph(), false);
  each.settle = std::chrono::milliseconds(0);
  each.local_charts = false;  // items come from whoever may write to the cluster, at any time
  // What a run throws, or what follows it (no more threads), is that run's failure.
  const auto run_now = [&] {
    return util::guarded([&]() -> util::Result<Run> {
      KUBIST_TRY(Run done, session.run(each, observer, stop));
      drift.follow(session.clients(), done.graph, true);
      follow_served(done);
      return done;
    });
  };
  KUBIST_TRY(Run run, run_now());
  hooks.finished(run);
  each.ignore_missing = true;  // it may have gone since
  Scope scope(options.selection);
  scope.update(run.graph);
  Schedule schedule;
  add_next(schedule, run);
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
    auto next = run_now();
    if (!next) {
      hooks.trouble(next.error());
      for (const Schedule::Due& entry : due) {
        if (next.error().kind != util::ErrorKind::not_found) {
          schedule.add(entry.key, std::chrono::steady_clock::now() + k_try_again, Cause::retry);
        }
      }
      continue;
    }
    run = std::move(*next);
    scope.update(run.graph);
    hooks.finished(run);
    add_next(schedule, run);
  }
  return {};
}

}  // namespace kubist::executors
