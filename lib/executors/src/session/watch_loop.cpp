#include <map>
#include <set>

#include <kubist/executors/tree_view.hpp>
#include <kubist/executors/watch_loop.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/threads.hpp>

#include "session/busy_nodes.hpp"
#include "session/drift_pace.hpp"
#include "session/istio_watches.hpp"
#include "session/item_watches.hpp"
#include "session/project_share.hpp"
#include "session/read_watches.hpp"
#include "session/tree_cache.hpp"

namespace kubist::executors {

using engine::Cause;
using engine::Key;
using engine::Schedule;

namespace {

/// Watch events of one kind come often in bursts: a folder that is applied.
constexpr std::chrono::milliseconds k_gather{50};
constexpr std::chrono::seconds k_try_again{5};
constexpr std::chrono::minutes k_list_again{1};  // all, for the kinds that could not be listed
/// A run that takes longer is not waited for: the next one goes on beside it. Most runs take less,
/// so that what comes meanwhile is one run, with one look at the tree.
constexpr std::chrono::milliseconds k_patience{200};
/// Runs at once. What a person asks for is not kept waiting by those that hang.
constexpr std::size_t k_most_runs = 64;
/// How often it is seen which clusters a run has come to know.
constexpr std::chrono::seconds k_follow{1};

/// What the loop was asked to look after: everything, or some subtrees. A new object counts by the
/// namespace that it is in.
class Scope {
 public:
  explicit Scope(const std::vector<Key>& selection) : m_selection(selection) {}
  void update(const engine::Graph& graph) {
    for (const Key& key : m_selection) {
      for (engine::NodeId top : graph.find(key)) {
        for (engine::NodeId id : graph.subtree(top)) {
          const engine::Node& node = graph[id];
          m_keys.insert(node.key);
          m_namespaces.insert(node.key.kind == "Project"
                                  ? resources::project_namespace(*node.object)
                                  : node.key.ns);
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

void add_events(Schedule& schedule, DriftPace& pace, const engine::Graph& graph, const Scope& scope,
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
      const auto now = std::chrono::steady_clock::now();
      schedule.add(asked, (cause == Cause::drift ? pace.next(asked, now) : now) + k_gather, cause);
    }
  }
}

/// Hands one run's observer to many: one call at a time.
class SharedObserver final : public engine::Observer {
 public:
  using Ended = std::function<void(const Key&)>;
  SharedObserver(engine::Observer& to, std::mutex& mutex, Ended ended)
      : m_to(to), m_mutex(mutex), m_ended(std::move(ended)) {}
  void started(const engine::Node& node, engine::Mode mode) override {
    const std::lock_guard lock(m_mutex);
    m_to.started(node, mode);
  }
  void progress(const engine::Node& node, const std::string& message) override {
    const std::lock_guard lock(m_mutex);
    m_to.progress(node, message);
  }
  void finished(const engine::Node& node, const engine::NodeReport& report) override {
    m_ended(node.key);
    const std::lock_guard lock(m_mutex);
    m_to.finished(node, report);
  }

 private:
  engine::Observer& m_to;
  std::mutex& m_mutex;
  Ended m_ended;
};

using Time = Schedule::Time;
Time now() { return std::chrono::steady_clock::now(); }

/// Watches, and runs that go on side by side, each on nodes of its own.
class Loop {
 public:
  Loop(Session& session, ReconcileOptions options, engine::Observer& observer,
       const WatchHooks& hooks, const std::stop_token& stop)
      : m_session(session),
        m_options(std::move(options)),
        m_observer(observer),
        m_hooks(hooks),
        m_stop(stop),
        m_absences(hooks.away, [this] { m_inbox.retry(); }),
        m_busy([this](const Key& key, Cause cause) { m_inbox.push(key, cause); }),
        m_scope(m_options.selection),
        m_drift(session.home_uid(), m_inbox, m_absences),
        m_items(m_inbox, m_absences),
        m_reads(session.home_client(), m_inbox, m_absences),
        m_istio(m_inbox, m_absences) {
    m_options.judges_istio = [this](const Key& cluster, const JudgedIstio& istio) {
      m_istio.keep(cluster, istio);
    };
    m_options.keeps = [this](const Key& node, const deployers::KeptObjects& kept) {
      m_items.keep(node, kept);
    };
    set_resync();
    const std::string ns = watched_namespace();
    for (const resources::Kind& kind : resources::kinds()) {
      if (kind.node || kind.name == "Approval" || kind.name.ends_with("Definition")) {
        m_watches.push_back(
            std::make_unique<KindWatch>(session.home_client(), kind, ns, m_inbox, m_absences));
        m_cache.add(resource_of(kind), *m_watches.back());
      }
    }
    m_drift.follow({session.home_client()}, engine::Graph(), false);
    if (session.replica() != nullptr) {
      m_share = std::make_unique<ProjectShare>(session, m_busy, m_inbox, m_absences, hooks.away);
    }
  }

  util::Result<> run() {
    KUBIST_CHECK(start(m_options, {}));
    while (!m_stop.stop_requested()) {
      const auto events = m_inbox.take(wake_time(), m_stop);
      m_events.insert(m_events.end(), events.begin(), events.end());
      try_to_see_tree();
      KUBIST_CHECK(take_ended());
      if (m_tree) {
        add_events(m_schedule, m_pace, *m_tree, m_scope, std::exchange(m_events, {}));
        retry_failed();
        resync();
        start_due();
      }
      tell_state();
    }
    return {};
  }

 private:
  /// A run that is under way.
  struct Active {
    Time since;
    std::vector<Schedule::Due> due;
    std::jthread thread;
  };
  struct Ended {
    int id;
    util::Result<Run> run;
  };

  void tell_state() {
    if (m_hooks.turned) {
      LoopState state{m_schedule.size(), m_schedule.added(), m_active.size()};
      if (m_share) {
        state.projects = m_share->projects();
        state.replicas = m_share->replicas();
      }
      state.planned = m_tree != nullptr;
      m_hooks.turned(state);
    }
  }

  std::string watched_namespace() const {
    return m_options.only_namespace == "*" ? "" : m_options.only_namespace;
  }

  util::Result<> start(ReconcileOptions options, std::vector<Schedule::Due> due) {
    const int id = ++m_last_id;
    options.left_out = [this, id](const Run& planned, const std::vector<engine::NodeId>& tops) {
      offer(id, planned);
      return m_busy.take(id, *planned.graph, tops);
    };
    options.source = &m_cache;
    auto work = [this, id, options = std::move(options)](const std::stop_token&) {
      SharedObserver observer(m_observer, m_observer_mutex,
                              [this, id](const Key& key) { m_busy.ended(id, key); });
      auto run = util::guarded([&] { return m_session.run(options, observer, m_stop); });
      m_busy.ended(id);
      const std::lock_guard lock(m_mutex);
      m_ended.push_back({id, std::move(run)});
      m_inbox.wake();
    };
    Active& active = m_active[id];
    active.since = now();
    active.due = std::move(due);
    auto thread = util::start_thread(std::move(work));
    if (!thread) {
      m_active.erase(id);
      return util::fail(thread.error());
    }
    active.thread = *std::move(thread);
    return {};
  }

  /// The tree of the run that began last counts.
  void offer(int id, const Run& planned) {
    const std::lock_guard lock(m_mutex);
    if (id >= m_offered_by) {
      m_offered_by = id;
      m_offered = planned.graph;
      m_served = planned.served;
      m_inbox.wake();
    }
  }

  /// No more threads for its watches: so it is tried again, and the runs go on.
  void try_to_see_tree() {
    if (const auto seen = util::guarded([this] { see_tree(); }); !seen) {
      m_hooks.trouble(seen.error());
      m_follow_at = now() + k_try_again;
    }
  }

  void see_tree() {
    std::vector<kube::ApiResource> served;
    {
      const std::lock_guard lock(m_mutex);
      if (m_offered) {
        m_tree = std::exchange(m_offered, nullptr);
        served = std::move(m_served);
        m_follow_at = now();
      }
    }
    if (!m_tree || m_follow_at > now()) {
      return;
    }
    m_follow_at = m_active.empty() ? Time::max() : now() + k_follow;
    m_scope.update(*m_tree);
    if (m_share) {
      m_share->see(*m_tree);
    }
    m_drift.follow(m_session.clients(), *m_tree, true);
    m_items.follow(*m_tree);
    m_reads.follow(*m_tree);
    m_istio.follow(*m_tree);
    for (const kube::ApiResource& resource : served) {
      auto& present = m_served_watches[resource.group_resource()];
      if (!present) {
        present = std::make_unique<KindWatch>(m_session.home_client(), resource,
                                              watched_namespace(), m_inbox, m_absences);
        m_cache.add(resource, *present);
      }
    }
  }

  util::Result<> take_ended() {
    std::vector<Ended> all;
    {
      const std::lock_guard lock(m_mutex);
      all = std::exchange(m_ended, {});
    }
    for (Ended& each : all) {
      const auto due = std::move(m_active.extract(each.id).mapped().due);  // joins its thread
      if (!each.run && due.empty()) {
        return util::fail(each.run.error());  // the first one
      }
      if (!each.run) {
        fail(each.run.error(), due);
        continue;
      }
      m_follow_at = now();
      m_hooks.finished(*each.run);
      add_next(*each.run);
    }
    try_to_see_tree();
    return {};
  }

  void add_next(const Run& run) {
    engine::schedule_from(m_schedule, run.report, *run.graph, now());
    for (const engine::NodeReport& node : run.report.nodes) {
      if (node.state == engine::NodeState::failed) {
        m_failed.insert(node.key);
      } else {
        m_failed.erase(node.key);
      }
    }
    if (run.incomplete) {
      for (const engine::NodeId root : run.graph->roots()) {
        m_schedule.add((*run.graph)[root].key, now() + k_list_again, Cause::retry);
      }
    }
  }

  void fail(const util::Error& error, const std::vector<Schedule::Due>& due) {
    m_hooks.trouble(error);
    for (const Schedule::Due& entry : due) {
      if (error.kind != util::ErrorKind::not_found) {
        m_schedule.add(entry.key, now() + k_try_again, Cause::retry);
      }
    }
  }

  /// What was away is back: what failed for that waits for its turn no longer. At once, but where
  /// something comes and goes, not each time.
  void retry_failed() {
    if (!m_inbox.take_retry()) {
      return;
    }
    if (m_retry_at < now()) {
      m_retry_at = std::max(now() + k_gather, m_retry_at + k_try_again);
    }
    for (const Key& key : m_failed) {
      m_schedule.add(key, m_retry_at, Cause::retry);
    }
  }

  void set_resync() {
    const double part = 0.9 + 0.2 * util::random_unit();
    const auto pause = std::chrono::duration_cast<Time::duration>(m_options.resync * part);
    m_resync_at = pause.count() == 0 ? Time::max() : now() + pause;
  }

  /// Looks at everything, for what no watch tells of.
  void resync() {
    if (now() < m_resync_at) {
      return;
    }
    set_resync();
    std::vector<Key> tops = m_options.selection;
    for (const engine::NodeId root :
         tops.empty() ? m_tree->roots() : std::vector<engine::NodeId>()) {
      tops.push_back((*m_tree)[root].key);
    }
    for (const Key& top : tops) {
      m_schedule.add(top, now(), Cause::resync);
    }
  }

  /// When the youngest run is no longer waited for.
  Time start_time() const {
    Time at = Time::min();
    for (const auto& [id, active] : m_active) {
      at = std::max(at, active.since + k_patience);
    }
    return at;
  }

  std::optional<Time> wake_time() const {
    auto at = m_tree ? m_schedule.next() : std::nullopt;
    if (at) {
      at = std::max(*at, start_time());
    }
    for (const Time other : {m_follow_at, m_resync_at}) {
      if (m_tree && other != Time::max()) {
        at = std::min(at.value_or(other), other);
      }
    }
    return at;
  }

  void start_due() {
    if (now() < start_time() || m_stop.stop_requested()) {
      return;
    }
    std::vector<Schedule::Due> due;
    for (Schedule::Due& entry : m_schedule.take_due(now(), *m_tree)) {
      if (!m_busy.is_allowed(*m_tree, entry.key)) {
        continue;  // whoever takes its project runs all of it
      }
      if (m_active.size() >= k_most_runs && entry.cause != Cause::requested) {
        m_schedule.add(entry.key, now() + k_follow, entry.cause);
      } else if (!m_busy.await(entry.key, entry.cause)) {
        due.push_back(std::move(entry));
      }
    }
    if (due.empty()) {
      return;
    }
    m_hooks.starting(due);
    ReconcileOptions options = m_options;
    options.ignore_missing = true;  // it may have gone since
    options.selection.clear();
    for (const Schedule::Due& entry : due) {
      options.selection.push_back(entry.key);
    }
    if (const auto started = start(std::move(options), due); !started) {
      fail(started.error(), due);
    }
  }

  Session& m_session;
  ReconcileOptions m_options;
  engine::Observer& m_observer;
  std::mutex m_observer_mutex;
  const WatchHooks& m_hooks;
  const std::stop_token& m_stop;
  Inbox m_inbox;
  Absences m_absences;
  BusyNodes m_busy;

  std::mutex m_mutex;  ///< guards what the runs tell
  std::vector<Ended> m_ended;
  std::shared_ptr<const engine::Graph> m_offered;
  std::vector<kube::ApiResource> m_served;
  int m_offered_by = 0;

  std::shared_ptr<const engine::Graph> m_tree;  ///< of the run that began last
  Scope m_scope;
  Schedule m_schedule;
  std::deque<std::pair<Key, Cause>> m_events;  ///< that wait for the first tree
  std::set<Key> m_failed;                      ///< when they last ran
  Time m_retry_at = Time::min();               ///< of the last that retry_failed() asked for
  Time m_follow_at = Time::max();
  Time m_resync_at = Time::max();
  DriftPace m_pace;
  int m_last_id = 0;
  std::vector<std::unique_ptr<KindWatch>> m_watches;
  std::map<std::string, std::unique_ptr<KindWatch>> m_served_watches;
  TreeCache m_cache;
  DriftWatches m_drift;
  ItemWatches m_items;
  ReadWatches m_reads;
  IstioWatches m_istio;
  std::unique_ptr<ProjectShare> m_share;  ///< null: it acts on all projects
  std::map<int, Active> m_active;  ///< last: its threads use all of the above
};

}  // namespace

util::Result<> watch_and_reconcile(Session& session, const ReconcileOptions& options,
                                   engine::Observer& observer, const WatchHooks& hooks,
                                   const std::stop_token& stop) {
  ReconcileOptions each = options;
  if (each.only_namespace.empty()) {
    // Of all that is watched, not of what one event asks for.
    KUBIST_TRY(each.only_namespace, namespace_of(session.home(), options.selection, stop));
  }
  each.settle = std::chrono::milliseconds(0);
  each.local_charts = false;  // items come from whoever may write to the cluster, at any time
  return Loop(session, std::move(each), observer, hooks, stop).run();
}

}  // namespace kubist::executors
