#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include <kubist/executors/status_store.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/executors/watch_loop.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/memory.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "session/agenda.hpp"
#include "session/busy_nodes.hpp"
#include "session/loop_guard.hpp"
#include "session/loop_watches.hpp"
#include "session/project_share.hpp"
#include "session/run_parts.hpp"
#include "session/shared_observer.hpp"
#include "session/tree_keeper.hpp"

namespace kubist::executors {

using engine::Cause;
using engine::Key;

namespace {

constexpr std::chrono::seconds k_try_again{5};
/// After a turn that threw: the next one may throw the same at once.
constexpr std::chrono::milliseconds k_pause{10};
/// A run that takes longer is not waited for: the next one goes on beside it. Many runs take less,
/// so that what comes meanwhile is one run.
constexpr std::chrono::milliseconds k_patience{50};
/// How often it is seen which clusters a run has come to know.
constexpr std::chrono::seconds k_follow{1};
/// It turns at least so often, so that others can tell whether it hangs.
constexpr std::chrono::minutes k_longest_turn{1};
/// How long after the last run the memory that runs used is given back.
constexpr std::chrono::seconds k_rest{5};

using Time = Agenda::Time;
Time now() { return std::chrono::steady_clock::now(); }

/// Watches, and runs that go on side by side, each on nodes of its own.
class Loop {
 public:
  Loop(Session& session, ReconcileOptions options, WatchedNamespaces where,
       engine::Observer& observer, const WatchHooks& hooks, const std::stop_token& stop)
      : m_session(session),
        m_options(std::move(options)),
        m_observer(observer),
        m_hooks(hooks),
        m_guard(hooks.trouble),
        m_stop(stop),
        m_absences(hooks.away, [this](const Sight& sight) { m_inbox.retry(sight); }),
        m_busy([this](const Key& key, const engine::Trigger& cause) { m_inbox.push(key, cause); }),
        m_agenda(m_options.selection, m_options.resync,
                 [this](std::string line) { m_absences.say(std::move(line)); }),
        m_watches(session, std::move(where), m_inbox, m_absences),
        m_keeper([this](const std::stop_token& token) { return m_session.tree(m_options, token); },
                 [this](TreeKeeper::Tree tree) { offer(std::move(tree)); }) {
    m_watches.serve(m_options);
    if (session.replica() != nullptr) {
      m_share = std::make_unique<ProjectShare>(session, m_busy, m_inbox, m_absences, hooks.away);
    }
  }

  util::Result<> run() {
    KUBIST_CHECK(start(m_options, {}));
    while (!m_stop.stop_requested() && !m_failure) {
      m_guard.step([this] { turn(); });
      if (const int times = m_guard.end_turn(); times > 0) {
        m_agenda.look_again(now() + times * k_try_again);  // at what the turn has lost
        m_inbox.wake();                                    // for what it left
        util::sleep_for(times * k_pause, m_stop);
      }
    }
    return m_failure ? util::Result<>(util::fail(*std::move(m_failure))) : util::Result<>();
  }

 private:
  /// A run that is under way.
  struct Active {
    Time since;
    std::vector<Agenda::Due> due;
    std::jthread thread;
  };
  struct Ended {
    int id;
    util::Result<Run> run;
  };

  /// What one step throws costs no other step its turn.
  void turn() {
    Inbox::Events events;
    m_guard.step([&] { events = m_inbox.take(wake_time(), m_stop); });
    try_to_see_tree();
    m_guard.step([this] { take_ended(); });
    if (m_failure) {
      return;
    }
    try_to_see_tree();
    m_guard.step([&] { take(events); });
    m_guard.step([this] { start_due(); });
    m_guard.step([this] { rest(); });
    m_guard.call([this] { tell_state(); });
  }

  void take(const Inbox::Events& events) {
    m_agenda.add(events);
    if (m_agenda.wants_tree()) {
      m_keeper.ask();
    }
    for (const Key& key : m_busy.take_outdated()) {
      m_inbox.push(key, Cause::changed);
    }
    for (const Sight& back : m_inbox.take_retries()) {
      m_agenda.retry_failed(concerned(back));
    }
  }

  /// What runs freed the process keeps for the next ones, which is most of its memory.
  void rest() {
    if (!m_active.empty()) {
      m_rest_at = now() + k_rest;
    } else if (m_rest_at <= now() && m_follow_at == Time::max()) {
      m_rest_at = Time::max();
      m_agenda.rest();
      m_watches.rest();
      util::release_freed_memory();
    }
  }

  void tell_state() {
    if (m_hooks.turned) {
      LoopState state{m_agenda.schedule().size(), m_agenda.schedule().added(), m_active.size()};
      if (m_share) {
        state.projects = m_share->projects();
        state.replicas = m_share->replicas();
      }
      state.planned = bool(m_agenda.tree());
      m_hooks.turned(state);
    }
  }

  /// The projects of which a watch saw something, by their namespaces; nothing: of all.
  std::optional<std::set<std::string>> concerned(const Sight& sight) {
    if (sight.client == m_session.home_client()) {
      return sight.ns.empty() ? std::nullopt : std::optional(std::set{sight.ns});
    }
    // "system:serviceaccount:NAMESPACE:NAME" is a project's account.
    const auto user = util::split(sight.client->impersonated_user(), ':');
    if (user.size() == 4) {
      return std::set{user[2]};
    }
    std::set<std::string> projects;  // none: no Cluster has that client any more
    for (const auto& [ns, name] : m_session.clusters_at(*sight.client).value_or(ClusterNames())) {
      projects.insert(ns);
    }
    return projects;
  }

  util::Result<> start(ReconcileOptions options, std::vector<Agenda::Due> due) {
    const int id = ++m_last_id;
    const bool whole = options.only_namespace == m_options.only_namespace;
    options.left_out = [this, id, whole](const Run& planned,
                                         const std::vector<engine::NodeId>& tops) {
      offer(id, planned, whole);
      return m_busy.take(id, *planned.graph, tops);
    };
    auto work = [this, id, options = std::move(options)](const std::stop_token&) {
      m_busy.begin(id);
      SharedObserver observer(m_observer, m_observer_mutex,
                              [this, id](const Key& key, const engine::NodeReport& report) {
                                m_busy.ended(id, key, report.reason == k_plan_changed);
                              });
      auto run = util::guarded([&] { return m_session.run(options, observer, m_stop); });
      m_busy.ended(id);
      const std::lock_guard lock(m_mutex);
      m_ended.push_back({id, std::move(run)});
      m_inbox.wake();
    };
    Active& active = m_active[id];
    active.since = now();
    active.due = std::move(due);
    auto thread = util::guarded([&work] {
      return util::start_thread([work = std::move(work)](const std::stop_token& stop) {
        const util::MemoryScope memory(util::Stay::passing);
        work(stop);
      });
    });
    if (!thread) {
      m_active.erase(id);
      return util::fail(thread.error());
    }
    active.thread = *std::move(thread);
    return {};
  }

  /// The tree of the run that began last counts. Once there was one of a part of it, all of it is
  /// read again after each.
  void offer(int id, const Run& planned, bool whole) {
    {
      const std::lock_guard lock(m_mutex);
      m_served = planned.served;
      if (whole && id >= m_offered_by) {
        m_offered_by = id;
        m_offered = planned.graph;
      }
      m_has_parts = m_has_parts || !whole;
    }
    m_inbox.wake();
    if (m_has_parts) {
      m_keeper.ask();
    }
  }
  void offer(TreeKeeper::Tree tree) {
    const std::lock_guard lock(m_mutex);
    m_offered = std::move(tree);
    m_inbox.wake();
  }

  /// No more threads for its watches: so it is tried again, and the runs go on.
  void try_to_see_tree() {
    if (!m_guard.call([this] { see_tree(); })) {
      m_follow_at = now() + k_try_again;
    }
  }

  void see_tree() {
    std::vector<kube::ApiResource> served;
    {
      const std::lock_guard lock(m_mutex);
      if (m_offered) {
        m_is_fresh = true;
        m_rest_at = now() + k_rest;
        m_follow_at = now();
        served = std::move(m_served);
        m_guard.step([this] { m_agenda.see(std::exchange(m_offered, nullptr)); });
      }
    }
    if (!m_agenda.tree() || (m_follow_at > now() && !m_watches.is_outdated())) {
      return;
    }
    m_follow_at = m_active.empty() ? Time::max() : now() + k_follow;
    const engine::Graph& tree = *m_agenda.tree();
    if (m_share) {
      m_share->see(tree);
    }
    m_watches.follow(tree, m_is_fresh, served);
    m_is_fresh = false;
  }

  std::optional<Ended> next_ended() {
    const std::lock_guard lock(m_mutex);
    if (m_ended.empty()) {
      return std::nullopt;
    }
    std::optional<Ended> ended(std::move(m_ended.front()));
    m_ended.pop_front();
    return ended;
  }

  void take_ended() {
    while (const auto ended = next_ended()) {
      const auto due = std::move(m_active.extract(ended->id).mapped().due);  // joins its thread
      m_guard.step([&] { take(ended->run, due); });
    }
  }

  void take(const util::Result<Run>& run, const std::vector<Agenda::Due>& due) {
    if (!run && due.empty()) {
      m_failure = run.error();  // the first one
    } else if (!run) {
      fail(run.error(), due);
    } else {
      m_follow_at = now();
      m_guard.fine();
      m_guard.call([&] { m_hooks.finished(*run); });
      if (m_watches.is_limited()) {
        m_keeper.ask();
      }
      m_agenda.add(*run);
    }
  }

  void fail(const util::Error& error, const std::vector<Agenda::Due>& due) {
    m_guard.trouble(error);
    m_agenda.add_failed(due);
  }

  /// When the youngest run is no longer waited for.
  Time start_time() const {
    Time at = Time::min();
    for (const auto& [id, active] : m_active) {
      at = std::max(at, active.since + k_patience);
    }
    return at;
  }

  Time wake_time() const {
    Time at = now() + k_longest_turn;
    if (const auto due = m_agenda.next()) {
      at = std::min(at, std::max(*due, start_time()));
    }
    if (m_agenda.tree()) {
      at = std::min({at, m_follow_at, m_active.empty() ? m_rest_at : Time::max()});
    }
    return at;
  }

  void start_due() {
    if (now() < start_time() || m_stop.stop_requested()) {
      return;
    }
    std::vector<Agenda::Due> due;
    for (Agenda::Due& entry : m_agenda.take_due()) {
      if (!m_busy.is_allowed(*m_agenda.tree(), entry.key)) {
        if (m_agenda.tree()->find(entry.key).empty()) {
          m_keeper.ask();  // an item in a namespace that no replica knows of yet
        }
        continue;  // whoever takes its project runs all of it
      }
      if (!m_busy.await(*m_agenda.tree(), entry.key, entry.cause)) {
        due.push_back(std::move(entry));
      }
    }
    if (due.empty()) {
      return;
    }
    m_agenda.begin(due);
    for (auto& [ns, part] : run_parts(std::move(due), *m_agenda.tree(), m_options.only_namespace)) {
      m_guard.step([&] { start(ns, std::move(part)); });
    }
  }

  void start(const std::string& ns, std::vector<Agenda::Due> due) {
    ReconcileOptions options = m_options;
    options.only_namespace = ns;
    options.run_id = new_run_id();
    m_guard.call([&] { m_hooks.starting(options.run_id, due); });
    options.ignore_missing = true;  // it may have gone since
    options.selection.clear();
    for (const Agenda::Due& entry : due) {
      options.selection.push_back(entry.key);
      options.causes[entry.key] = to_string(entry.cause);
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
  LoopGuard m_guard;
  const std::stop_token& m_stop;
  Inbox m_inbox;
  Absences m_absences;
  BusyNodes m_busy;

  std::mutex m_mutex;  ///< guards what the runs tell
  std::deque<Ended> m_ended;
  std::shared_ptr<const engine::Graph> m_offered;
  std::vector<kube::ApiResource> m_served;
  int m_offered_by = 0;
  std::atomic<bool> m_has_parts = false;  ///< a run read the tree of one project alone

  Agenda m_agenda;          ///< has the tree of the run that began last
  bool m_is_fresh = false;  ///< what the nodes of that tree read is not watched yet
  Time m_follow_at = Time::max();
  Time m_rest_at = Time::max();
  std::optional<util::Error> m_failure;  ///< of the first run: it ends the loop
  int m_last_id = 0;
  LoopWatches m_watches;
  std::unique_ptr<ProjectShare> m_share;  ///< null: it acts on all projects
  TreeKeeper m_keeper;
  std::map<int, Active> m_active;  ///< last: its threads use all of the above
};

}  // namespace

util::Result<> watch_and_reconcile(Session& session, const ReconcileOptions& options,
                                   engine::Observer& observer, const WatchHooks& hooks,
                                   const std::stop_token& stop) {
  ReconcileOptions each = options;
  // Of all that is watched, not of what one event asks for.
  KUBIST_TRY(auto namespaces, namespaces_of(session.home(), options.selection, stop));
  WatchedNamespaces where;
  if (namespaces.size() == 1) {
    where.only = *namespaces.begin();
  } else {
    where.or_else = std::move(namespaces);
  }
  each.only_namespace = where.only.empty() ? "*" : where.only;
  each.settle = std::chrono::milliseconds(0);
  each.cause = "start";
  each.local_charts = false;  // items come from whoever may write to the cluster, at any time
  return Loop(session, std::move(each), std::move(where), observer, hooks, stop).run();
}

}  // namespace kubist::executors
