#include <algorithm>
#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/kept_lists.hpp>
#include <kubist/executors/registry.hpp>
#include <kubist/executors/session.hpp>
#include <kubist/executors/tree_view.hpp>
#include <kubist/release/routes.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "keep/item_world.hpp"
#include "keep/sites.hpp"
#include "policies/container_runtime.hpp"
#include "releases/releases.hpp"
#include "session/hand_over.hpp"
#include "session/notifications.hpp"
#include "session/rechecks.hpp"
#include "session/release_runs.hpp"
#include "tree/overlay.hpp"
#include "world/shared_lists.hpp"
#include "world/survey.hpp"

namespace kubist::executors {

using engine::Graph;
using engine::NodeId;
using util::cat;

namespace {

constexpr int k_max_plans = 5;

/// A release or an experiment moves its routes: they run with it.
void add_routes(const Graph& graph, const std::vector<NodeId>& from,
                std::vector<NodeId>& selected) {
  for (const NodeId id : from) {
    for (const engine::Key& route : release::routes_of(graph[id])) {
      const auto found = graph.find(route);
      selected.insert(selected.end(), found.begin(), found.end());
    }
  }
}

util::Result<std::vector<NodeId>> select(const Graph& graph, const TreeView& view,
                                         const ReconcileOptions& options) {
  const std::vector<engine::Key>& keys = options.selection;
  if (keys.empty()) {
    return graph.roots();
  }
  std::vector<NodeId> selected;
  for (const engine::Key& key : keys) {
    if (const engine::Node* project = graph.project_of(key.ns);
        project != nullptr && view.hidden.contains(key.ns)) {
      selected.push_back(project->id);  // it tells why its objects are not here
      continue;
    }
    if (options.ignore_missing && graph.find(key).empty()) {
      continue;
    }
    KUBIST_TRY(const auto found, graph.require(key));
    selected.insert(selected.end(), found.begin(), found.end());
    if (options.mode == engine::Mode::align) {
      add_routes(graph, found, selected);
    }
  }
  return selected;
}

/// Are there DeployItems, or may the run make some?
bool has_items(const Graph& graph, const std::vector<data::Json>& definitions,
               const engine::PolicyCatalog& policies) {
  const auto& nodes = graph.nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const engine::Node& node) {
                       return node.key.kind == "Execution" || node.key.kind == "DeployItem" ||
                              engine::may_call_jobs(graph, node.id, policies);
                     }) ||
         std::any_of(definitions.begin(), definitions.end(), [](const data::Json& definition) {
           return data::find_path(definition, {"spec", "runtime", "container"}) != nullptr;
         });
}

/// Which DeployItems a run of the whole tree is not about, and how it would be.
std::string left_alone(const std::map<std::string, std::size_t>& by_namespace) {
  constexpr std::size_t k_most = 5;  // are named
  std::size_t count = 0;
  std::vector<std::string> named;
  for (const auto& [ns, items] : by_namespace) {
    count += items;
    if (named.size() < k_most) {
      named.push_back(cat(ns, " (", items, ")"));
    }
  }
  if (by_namespace.size() > k_most) {
    named.push_back("...");
  }
  return cat(count, " DeployItem", count == 1 ? " of no project was" : "s of no project were",
             " not run, in ", util::join(named, ", "),
             ": name them as deployitem/NAME -n NAMESPACE, or pass --all-namespaces");
}

bool is_outdated(const engine::Report& report) {
  const auto errors = report.status_errors();
  return std::any_of(
             report.nodes.begin(), report.nodes.end(),
             [&](const engine::NodeReport& node) { return node.reason == k_plan_changed; }) ||
         std::any_of(errors.begin(), errors.end(),
                     [](const util::Error& error) { return error.reason == k_plan_changed; });
}

}  // namespace

Session::Session(std::shared_ptr<kube::Client> home, std::string home_uid, Options options)
    : m_home(home),
      m_home_uid(std::move(home_uid)),
      m_options(std::move(options)),
      m_connections(std::move(home), m_home_uid, m_options.clients),
      m_accounts(std::make_unique<ProjectAccounts>(m_home)),
      m_sites(std::make_unique<Sites>(m_home, m_home_uid, m_connections, *m_accounts)),
      m_catalog(m_options.local),
      m_notifications(std::make_unique<Notifications>(m_home, m_options.notifications)),
      m_leases(m_options.replica) {}

Session::~Session() = default;

std::string new_run_id() { return util::random_suffix(10); }

util::Result<std::shared_ptr<kube::Client>> Session::client_for(const engine::Node& project,
                                                                const std::stop_token& stop) {
  return m_accounts->client_for(project, stop);
}

ProjectLocks::Options Session::lock_options(const std::string& run_id) const {
  ProjectLocks::Options options;
  options.identity = m_options.identity;
  options.run_id = run_id;
  options.clock = m_options.clock;
  options.sleep = m_options.sleep;
  return options;
}

std::unique_ptr<ProjectLocks> Session::standing_locks() {
  ProjectLocks::Options options = lock_options(new_run_id());
  options.held = &m_leases;
  return std::make_unique<ProjectLocks>(m_home, std::move(options));
}

util::Result<std::unique_ptr<Session>> Session::open(std::shared_ptr<kube::Client> home,
                                                     Options options, const std::stop_token& stop) {
  KUBIST_TRY(std::string uid, cluster_uid(*home, stop));
  return std::unique_ptr<Session>(new Session(std::move(home), std::move(uid), std::move(options)));
}

/// A run that is under way. Where no other one is, what it reads has all that was written before.
class Session::Entered {
 public:
  explicit Entered(Session& session) : m_session(session) {
    const std::lock_guard lock(session.m_mutex);
    ++session.m_runs;
  }
  ~Entered() {
    const std::lock_guard lock(m_session.m_mutex);
    if (--m_session.m_runs == 0) {
      m_session.m_book.clear();
    }
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  Session& m_session;
};

void Session::keep_only(const Graph& tree) {
  ClusterNames clusters;
  for (const engine::Node& node : tree.nodes()) {
    if (node.key.kind == "Cluster") {
      clusters.emplace(node.key.ns, node.key.name);
    }
  }
  m_connections.keep_only(clusters);
  m_sites->keep_only(tree);
}

void Session::begin_run(bool own_rights, kube::DryRun dry_run) {
  m_connections.begin_run();
  m_accounts->begin_run(own_rights, dry_run);
  const std::lock_guard lock(m_mutex);
  if (m_runs <= 1) {
    m_accounts->forget_admitted();
  }
}

// `stop` and what else is handed in outlive the world.
World Session::make_world(ProjectLocks& locks, Survey& survey, const ReconcileOptions& options,
                          const std::stop_token& stop) {
  World world{
      .home = m_home,
      .home_uid = m_home_uid,
      .connections = m_connections,
      .sites = *m_sites,
      .locks = locks,
      .survey = survey,
      .dry_run = options.dry_run,
      .abandon = options.abandon,
      .force = options.force,
      .skip_uninstall = options.skip_uninstall,
      .keep_calls = options.keep_calls,
      .deployers = m_options.deployers,
      .jsonnet =
          [this, &stop](const std::string& name, const std::string& source,
                        const std::string& input, const std::string& project) {
            return m_jsonnet.call(name, source, std::span(&input, 1), stop, project).at(0).output;
          },
      .item_parallelism = options.item_parallelism,
      .all_outside = options.outside.all,
      .planned = options.planned.empty() ? nullptr : &options.planned,
      .clock = m_options.clock,
      .source = options.source,
      .keeps = options.keeps,
      .judges_istio = options.judges_istio,
      .reads_workloads = options.reads_workloads,
      .makes_as = options.makes_as,
      .traces_function = options.traces_function,
      .traces_item = options.traces_item,
      .changes = options.changes,
  };
  world.deployers.local_charts = world.deployers.local_charts && options.local_charts;
  return world;
}

/// The plans of one run: what the earlier ones came to.
struct Session::Plans {
  std::string run_id;
  int count = 0;
  std::set<std::string> of_replicas = {};  ///< project namespaces
  bool halted = false;                     ///< the last one: it found more of those
};

util::Result<Run> Session::run_once(const ReconcileOptions& options, Plans& plans,
                                    engine::Observer& observer, const std::stop_token& outer) {
  const Entered entered(*this);
  // Where a project is a replica's the plan is given up as by a stop, so that no status tells of
  // it.
  std::stop_source halted;
  const std::stop_callback forward(outer, [&] { halted.request_stop(); });
  const std::stop_token stop = halted.get_token();
  const auto planned_at = m_options.clock->boot();
  auto namespaces = one_or_all(options.only_namespace);
  if (options.only_namespace.empty()) {
    KUBIST_TRY(namespaces, namespaces_of(*m_home, options.selection, stop));
  }
  KUBIST_TRY(TreeView view,
             load_tree_view(*m_home, namespaces, stop, options.source, options.outside));
  mark_going(*m_home, plans.count > 0, view.snapshot, stop);
  overlay(view.snapshot, options.planned);
  Run run{.graph = std::make_shared<const Graph>(build_graph(view)),
          .report = {},
          .served = view.snapshot.served,
          .warnings = view.snapshot.warnings,
          .incomplete = view.snapshot.incomplete,
          .denied = {}};
  if (options.selection.empty() && !view.snapshot.left_alone.empty()) {
    run.warnings.push_back(left_alone(view.snapshot.left_alone));
  }
  const Graph& graph = *run.graph;
  KUBIST_TRY(const auto selected, select(graph, view, options));
  const auto left_out = options.left_out ? options.left_out(run, selected) : std::vector<NodeId>();
  const engine::RunInfo info{
      .id = plans.run_id,
      .started_at = m_options.clock->now(),
      .dry = options.dry_run != kube::DryRun::none,
      .causes = options.causes,
      .cause = options.cause.empty() ? cat("asked for by ", m_options.identity) : options.cause};
  Rechecks rechecks(*m_home, graph, selected, view.snapshot.definitions, options.outside, stop);
  ProjectLocks::Options locking = lock_options(info.id);
  locking.timeout = options.lock_timeout;
  locking.recheck = [&](const std::string& ns) { return rechecks.check(ns); };
  locking.planned_at = planned_at;
  locking.held = &m_leases;
  locking.take_over = options.beside == Beside::take_over;
  if (options.beside == Beside::hand_over) {
    locking.on_replica = [&](const std::string& ns) {
      if (!plans.of_replicas.contains(ns)) {
        halted.request_stop();
      }
    };
  }
  ProjectLocks locks(m_home, std::move(locking));
  begin_run(options.own_rights, options.dry_run);
  Survey survey(graph, selected, *m_home);
  World world = make_world(locks, survey, options, stop);
  world.deployers = item_settings(world.deployers, graph);
  world.kept_lists = std::make_shared<deployers::KeptLists>(expected_items(graph, selected));
  const auto containers = make_container_runtime(&world);
  world.functions = m_catalog.executors(view.snapshot.definitions, containers);
  engine::ExecutorSet executors = make_executors(world, served_kinds(view.snapshot.definitions));
  HandOver hand_over(world, plans.of_replicas, {info.id, m_options.sleep});
  hand_over.stand_before(executors);
  std::set<std::string> hidden = plans.of_replicas;  // their statuses are the replicas'
  for (const auto& [ns, why] : view.hidden) {
    hidden.insert(ns);
  }
  KubeStatusStore statuses(world, m_book, *m_accounts, std::move(hidden), stop);
  world.statuses = &statuses;
  const engine::PolicyCatalog policies = m_catalog.build(view.snapshot.definitions, containers);
  world.policies = &policies;
  if (has_items(graph, view.snapshot.definitions, policies)) {
    KUBIST_TRY(world.deployers.foreign_crd, has_foreign_items(*m_home, stop));
  }
  SharedLists lists;
  world.lists = &lists;
  Releases releases(world, graph, stop);
  world.releases = &releases;
  engine::RunOptions run_options;
  run_options.parallelism = options.parallelism;
  run_options.mode = options.mode;
  run_options.settle = options.settle;
  run_options.left_out = left_out;
  run_options.keep_trace = options.keep_trace;
  run.report =
      engine::run(graph, selected, info, run_options,
                  {executors, statuses, policies, releases, observer, *m_options.clock}, stop);
  plans.halted = stop.stop_requested() && !outer.stop_requested();
  if (plans.halted) {
    plans.of_replicas.merge(projects_of_replicas(*m_home, graph, selected, outer));
  }
  for (std::string& line : m_accounts->warnings()) {
    run.warnings.push_back(std::move(line));
  }
  run.denied = m_accounts->denied();
  if (!info.dry) {
    m_notifications->tell(graph, info, statuses.changes());
  }
  return run;
}

util::Result<Run> Session::run_planned(const ReconcileOptions& options, const std::string& run_id,
                                       engine::Observer& observer, const std::stop_token& stop) {
  Plans plans{.run_id = run_id};
  while (true) {
    auto run = run_once(options, plans, observer, stop);
    if (!run || stop.stop_requested() || !(plans.halted || is_outdated(run->report))) {
      return run;
    }
    if (++plans.count == k_max_plans) {
      return plans.halted ? util::fail(util::ErrorKind::conflict,
                                       "projects went from one replica to another all the time",
                                       "Run again.", "Locked")
                          : std::move(run);
    }
    if (!plans.halted) {
      plans.of_replicas.clear();  // one may be free by now
    }
  }
}

util::Result<Run> Session::run(const ReconcileOptions& options, engine::Observer& observer,
                               const std::stop_token& stop) {
  const auto until = m_options.clock->monotonic() + options.settle;
  const std::string run_id = options.run_id.empty() ? new_run_id() : options.run_id;
  KUBIST_TRY(Run run, run_planned(options, run_id, observer, stop));
  if (options.dry_run != kube::DryRun::none || options.mode != engine::Mode::align) {
    return run;
  }
  for (auto due = releases_due(run); due && !run.report.stopped; due = releases_due(run)) {
    if (m_options.clock->monotonic() + due->after > until || !m_options.sleep(due->after, stop)) {
      break;
    }
    ReconcileOptions look = options;
    look.selection = due->releases;
    look.ignore_missing = true;
    look.settle = std::chrono::milliseconds(0);
    KUBIST_TRY(const Run later, run_planned(look, run_id, observer, stop));
    take_over(run.report, later.report);
  }
  return run;
}

}  // namespace kubist::executors
