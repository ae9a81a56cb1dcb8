#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/deployers/runner.hpp>
#include <kubist/engine/pipeline.hpp>
#include <kubist/engine/runner.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/executors/connections.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/runtimes/jsonnet.hpp>
#include <kubist/util/clock.hpp>

namespace kubist::executors {

struct Run;

/// What a run does about projects that replicas of a controller have.
enum class Beside {
  wait,       ///< as for others: until they are free, or `lock_timeout` is over
  hand_over,  ///< asks the replicas to do it, and tells what they come to
  take_over,  ///< asks the replicas for the projects, and waits as above
};

/// Short, and another one with each call: what statuses, Events, log lines and reports call a run.
std::string new_run_id();

struct ReconcileOptions {
  std::string run_id = {};  ///< empty: a new one
  /// As engine::RunInfo has it; empty: this session's identity asked for it.
  std::string cause = {};
  std::map<engine::Key, std::string> causes = {};
  /// Subtrees to walk; empty: the whole tree.
  std::vector<engine::Key> selection;
  Outside outside = {};                     ///< DeployItems of no project that it is about, too
  bool ignore_missing = false;              ///< leave out what the selection names and is not there
  engine::Mode mode = engine::Mode::align;  ///< remove: take the selection away
  /// Load this project namespace and cluster-scoped kinds; empty: what the selection needs; *: all.
  std::string only_namespace;
  kube::DryRun dry_run = kube::DryRun::none;
  /// For a dry run: kubist objects as they would be. They stand for those of the cluster, or beside
  /// them where they are new; parts that one does not name stay as the cluster has them.
  std::vector<data::Json> planned;
  bool abandon = false;
  bool force = false;
  bool skip_uninstall = false;
  /// Where kubist cannot act as a project's account, the caller's rights go beyond its namespaces.
  /// Where it can, what an inventory has is deleted with them if the account may not.
  bool own_rights = false;
  bool keep_trace = false;
  bool keep_calls = false;  ///< fill engine::Write::call; that of a write of a status never is
  FunctionHook traces_function = {};
  ItemHook traces_item = {};
  ChangeHook changes = {};
  bool local_charts = true;  ///< helm items may name charts of this machine; not where one watches
  std::size_t parallelism = 16;      ///< nodes at once
  std::size_t item_parallelism = 0;  ///< items of one Execution at once; 0: no limit
  /// How long what is progressing is looked at again before the run ends without it.
  std::chrono::milliseconds settle{std::chrono::minutes(5)};
  std::chrono::nanoseconds lock_timeout{0};
  Beside beside = Beside::wait;  ///< of runs that align, with no other options for what is there
  /// Where one watches: how often all of the selection is looked at, whatever the watches tell; 0:
  /// never. Each time up to a tenth sooner or later.
  std::chrono::milliseconds resync{std::chrono::hours(1)};
  /// Asked for each plan before anything starts, with its tree and the nodes of the selection: the
  /// subtrees that another run is at work on, which this one leaves out. Null: there is none.
  std::function<std::vector<engine::NodeId>(const Run&, const std::vector<engine::NodeId>&)>
      left_out;
  /// Where the tree's objects come from before they are listed; null: nowhere. Outlives the run.
  ObjectSource* source = nullptr;
  // Where one watches; all outlive the run.
  KeepsHook keeps = {};
  IstioHook judges_istio = {};
  WorkloadsHook reads_workloads = {};
  MakerHook makes_as = {};
};

/// One run and the tree that it was about.
struct Run {
  std::shared_ptr<const engine::Graph> graph;
  engine::Report report;
  std::vector<kube::ApiResource> served;  ///< kinds of the graph that are none of kubist's own
  std::vector<std::string> warnings;      ///< what was left out of the graph, and why
  bool incomplete = false;  ///< among that are objects that the next run may find (Snapshot)
  /// Of a server dry run: writes that the API server would deny a project's account, with the
  /// grant.
  std::vector<std::string> denied;
};

/// What the policies of some nodes would do now, and the tree that they are in.
struct PolicyLook {
  engine::Graph graph;
  std::vector<engine::NodeId> nodes;
  std::vector<engine::PolicyVerdict> verdicts;  ///< one a node, traced
};

/// A DeployItem that was to run, to end or to go, and how that went.
struct ItemResult {
  resources::ObjectRef item;
  util::Result<deployers::ItemOutcome> outcome;
};

/// Something that an item left where its pods ran, though the item is no more.
struct GarbageResult {
  std::string cluster;  ///< empty: home
  std::string kind, ns, name;
  std::string item;  ///< "namespace/name"
  std::string why;   ///< why it stays
  bool removed = true;
};

/// Where notifications show on this machine. Any thread; both are called.
struct NotificationHooks {
  std::function<void(const std::string&)> log;      ///< one line of JSON, of a sink of type Log
  std::function<void(const std::string&)> trouble;  ///< a notification that went nowhere, and why
};

class Notifications;
class ProjectAccounts;
class Sites;

/// What outlives a run: the home client, connections to other clusters, remembered policy results.
/// Any thread; of its calls only run() may go on several times at once, none of them a dry run, and
/// each on nodes of its own.
class Session {
 public:
  struct Options {
    std::string identity;         ///< who holds locks: "user@host"
    kube::ClientOptions clients;  ///< for the clients of other clusters
    deployers::Settings deployers;
    LocalConfig local;  ///< of the machine that runs it
    NotificationHooks notifications;
    const util::Clock* clock = &util::system_clock();  ///< outlives the session
    /// In whose name locks are held, where others share the projects; outlives the session. Its
    /// identity is that above.
    Replica* replica = nullptr;
    std::function<bool(std::chrono::nanoseconds, const std::stop_token&)> sleep = util::sleep_for;
  };

  /// Fails when the home cluster cannot be reached.
  static util::Result<std::unique_ptr<Session>> open(std::shared_ptr<kube::Client> home,
                                                     Options options, const std::stop_token& stop);

  /// Loads the tree and walks it once; releases that are under way then are looked at again and
  /// again until they have ended, or `settle` is over. Nodes that fail are in the report; an error
  /// means that there was no run: the tree could not be loaded, or the selection names nothing
  /// (not_found).
  util::Result<Run> run(const ReconcileOptions& options, engine::Observer& observer,
                        const std::stop_token& stop);

  /// The tree as a run with these options would read it now. Errors: it could not be loaded.
  util::Result<std::shared_ptr<const engine::Graph>> tree(const ReconcileOptions& options,
                                                          const std::stop_token& stop);

  /// Runs the policies of the nodes of that name as a run would now, each seeing what it would then
  /// see (a release's routes and metrics too), and writes nothing. An error means that the tree
  /// could not be loaded, or has no such node (not_found).
  util::Result<PolicyLook> trace_policies(const engine::Key& key, const std::stop_token& stop);

  /// Takes DeployItems away by themselves, side by side, as the removal of their Execution would:
  /// runs what their deletion runs, removes what they keep, lets them go. Their deletion has been
  /// requested already. Of the options count abandon, skip_uninstall and lock_timeout; `progress`
  /// says what is waited for, from any thread, one at a time. An error means that nothing was done.
  /// REQUIRES: `items` is not empty.
  util::Result<std::vector<ItemResult>> remove_items(
      const std::vector<resources::ObjectRef>& items, const ReconcileOptions& options,
      const std::function<void(const std::string&)>& progress, const std::stop_token& stop);

  /// Runs DeployItems by themselves, side by side: those that need it (`options.force`: all),
  /// whether they belong to an Execution or not. Else as remove_items().
  util::Result<std::vector<ItemResult>> run_items(
      const std::vector<resources::ObjectRef>& items, const ReconcileOptions& options,
      const std::function<void(const std::string&)>& progress, const std::stop_token& stop);

  /// Ends what DeployItems have under way, whoever runs them; waits for no lock.
  util::Result<std::vector<ItemResult>> interrupt_items(
      const std::vector<resources::ObjectRef>& items,
      const std::function<void(const std::string&)>& progress, const std::stop_token& stop);

  /// For work on the state of items (deployers/item_state.hpp), beside runs: it takes no lock. An
  /// item's place is that of run_items(), and acted on as whom that does; the tree is read only
  /// where the item has a target. Without one it is in the item's own namespace, which the caller
  /// named, with the caller's rights. `own_rights` as in ReconcileOptions; `warn` is told whose own
  /// rights are used. One thread; valid as long as the session and `stop`.
  deployers::World state_world(bool own_rights, std::function<void(const std::string&)> warn,
                               const std::stop_token& stop);

  struct GarbageOptions {
    std::string ns;  ///< of one project; empty: of all
    kube::DryRun dry_run = kube::DryRun::none;
    std::chrono::nanoseconds lock_timeout{0};
    std::function<void(const GarbageResult&)> on_result;
    std::function<void(const util::Error&)> on_trouble;  ///< a place that could not be looked at
  };
  /// Removes what DeployItems left in the namespaces of VirtualClusters: of items that definitely
  /// do not exist any more, and never beside a pod that still runs. A namespace that is not
  /// kubist's own (of this home) is not touched. An error means that the tree could not be loaded.
  util::Result<> collect_garbage(const GarbageOptions& options, const std::stop_token& stop);

  kube::Client& home() { return *m_home; }
  const std::shared_ptr<kube::Client>& home_client() const { return m_home; }
  const std::string& home_uid() const { return m_home_uid; }
  /// The home client, and those of all clusters that the last runs reached; each once.
  std::vector<std::shared_ptr<kube::Client>> clients() { return m_connections.clients(); }

  /// As Connections::clusters_at().
  std::optional<ClusterNames> clusters_at(const kube::Client& client) {
    return m_connections.clusters_at(client);
  }
  /// Forgets what earlier runs knew of what this tree lacks, Clusters as Connections::keep_only().
  void keep_only(const engine::Graph& tree);

  /// The client for what that Project's objects ask for on the home cluster. Errors: the API server
  /// did not say as whom that may be.
  util::Result<std::shared_ptr<kube::Client>> client_for(const engine::Node& project,
                                                         const std::stop_token& stop);

  Replica* replica() const { return m_options.replica; }
  /// Of no run: what they hold is this process', for as long as they last. The session outlives
  /// them.
  std::unique_ptr<ProjectLocks> standing_locks();

  ~Session();

 private:
  struct ItemCall;
  Session(std::shared_ptr<kube::Client> home, std::string home_uid, Options options);
  util::Result<std::vector<ItemResult>> each_item(
      const std::vector<resources::ObjectRef>& items, const ReconcileOptions& options,
      const std::function<void(const std::string&)>& progress, const std::stop_token& stop,
      const ItemCall& call);
  class Entered;
  void begin_run(bool own_rights, kube::DryRun dry_run);
  World make_world(ProjectLocks& locks, Survey& survey, const ReconcileOptions& options,
                   const std::stop_token& stop);
  /// What all locks of the session have in common.
  ProjectLocks::Options lock_options(const std::string& run_id) const;
  struct Plans;
  util::Result<Run> run_planned(const ReconcileOptions& options, const std::string& run_id,
                                engine::Observer& observer, const std::stop_token& stop);
  util::Result<Run> run_once(const ReconcileOptions& options, Plans& plans,
                             engine::Observer& observer, const std::stop_token& stop);

  std::shared_ptr<kube::Client> m_home;
  std::string m_home_uid;
  Options m_options;
  Connections m_connections;
  std::unique_ptr<ProjectAccounts> m_accounts;
  std::unique_ptr<Sites> m_sites;
  Catalog m_catalog;
  std::unique_ptr<Notifications> m_notifications;
  runtimes::Jsonnet m_jsonnet;  ///< of Templates; kept: it remembers results
  StatusBook m_book;
  HeldLeases m_leases;
  std::mutex m_mutex;
  int m_runs = 0;  ///< that are under way; guarded by m_mutex
};

}  // namespace kubist::executors
