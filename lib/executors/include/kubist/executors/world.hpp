#pragma once
#include <functional>
#include <memory>
#include <set>
#include <string>

#include <kubist/apply/set.hpp>
#include <kubist/deployers/world.hpp>
#include <kubist/engine/pipeline.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/executors/connections.hpp>
#include <kubist/executors/lease.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/clock.hpp>

namespace kubist::executors {

class KubeStatusStore;
class ObjectSource;
class Releases;
class SharedLists;
class Sites;
class Survey;

inline constexpr std::string_view k_finalizer = "kubist.io/finalizer";
inline constexpr std::string_view k_status_manager = "kubist-status";

/// Told which objects an item of that node keeps, see deployers::World::keeps. May be empty; any
/// thread.
using KeepsHook = std::function<void(const engine::Key& node, deployers::KeptObjects kept)>;

/// The Istio that a run has judged, and how it is looked at anew.
struct JudgedIstio {
  std::shared_ptr<kube::Client> client;  ///< null: none counts, or it could not be judged
  std::function<void()> forget;          ///< what is known of it is old; any thread
  /// Where its webhooks lead, which administrators alone write. Others may name a Deployment
  /// istiod.
  std::set<std::string> namespaces;
};
/// Told by each Cluster that is looked at. May be empty; any thread.
using IstioHook = std::function<void(const engine::Key& cluster, const JudgedIstio& istio)>;

/// Where a node reads what runs.
struct ReadWorkloads {
  std::shared_ptr<kube::Client> client;
  std::string target;  ///< of which the node has one or several
  std::string ns;
  bool deployments = false;  ///< Deployments, too, and not pods alone
};
/// Told by each node of traffic or releases that is looked at. May be empty; any thread.
using WorkloadsHook = std::function<void(const engine::Key& node, const ReadWorkloads&)>;

/// Told as whom kubist makes at home what the function of a Root or a Cluster asks for. May be
/// empty; any thread.
using MakerHook =
    std::function<void(const engine::Key& node, const std::shared_ptr<kube::Client>& maker)>;

/// Told what the function of a node's ExecutorDefinition got and answered, in a run that keeps
/// traces. May be empty; any thread.
using FunctionHook = std::function<void(const engine::Key& node, const engine::PolicyTrace&)>;

/// Told what the policies that are imposed on DeployItems came to for one that an Execution would
/// make, with their inputs and outputs. May be empty; any thread.
using ItemHook = std::function<void(const engine::Key& execution, const engine::Node& item,
                                    const engine::PolicyVerdict& verdict)>;

/// Told what a write of that node changed: what it made, too, but not what it deleted. May be
/// empty; any thread.
using ChangeHook = std::function<void(const engine::Node& node, const deployers::Change&)>;

/// What all executors of one run share. Everything in it outlives the run; any thread.
struct World {
  std::shared_ptr<kube::Client> home;
  std::string home_uid;  ///< of kube-system: part of every owner mark
  Connections& connections;
  Sites& sites;
  ProjectLocks& locks;
  Survey& survey;
  kube::DryRun dry_run = kube::DryRun::none;
  bool abandon = false;  ///< removal lets go of what cannot be reached, and lists it
  bool force = false;    ///< run items again although nothing changed
  bool skip_uninstall = false;
  bool keep_calls = false;  ///< fill engine::Write::call
  deployers::Settings deployers = {};
  deployers::Jsonnet jsonnet = {};      ///< for Templates
  std::size_t item_parallelism = 0;     ///< items of one Execution at once; 0: no limit
  Releases* releases = nullptr;         ///< of this run; null: none are looked at
  SharedLists* lists = nullptr;         ///< of this run; null: no executor is called
  KubeStatusStore* statuses = nullptr;  ///< of this run; null: no executor is called
  std::shared_ptr<deployers::KeptLists> kept_lists = {};  ///< as deployers::World has them
  bool all_outside = false;  ///< items of no project are run that nobody named (Outside::all)
  /// In a dry run, the input's objects as they would be; null: there is no input.
  const std::vector<data::Json>* planned = nullptr;
  const util::Clock* clock = &util::system_clock();
  ObjectSource* source = nullptr;  ///< hears of statuses that are written; null: there is none
  KeepsHook keeps = {};            ///< as ReconcileOptions has it, as the next one
  IstioHook judges_istio = {};
  WorkloadsHook reads_workloads = {};
  MakerHook makes_as = {};
  FunctionHook traces_function = {};
  ItemHook traces_item = {};
  ChangeHook changes = {};
  const engine::PolicyCatalog* policies = nullptr;  ///< of this run; null: no executor is called
  /// The ExecutorDefinitions in force, by name.
  std::map<std::string, util::Result<ExecutorFunction>, std::less<>> functions = {};
};

/// The uid of kube-system, by which a cluster is known.
util::Result<std::string> cluster_uid(kube::Client& client, const std::stop_token& stop);

}  // namespace kubist::executors
