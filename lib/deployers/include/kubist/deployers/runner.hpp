#pragma once
#include <memory>
#include <string>
#include <vector>

#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/deployers/item_run.hpp>

namespace kubist::deployers {

struct RemoveItemOptions {
  bool wait = true;             ///< false: one step, then tell where it stands
  bool skip_uninstall = false;  ///< nothing is run, whatever removal_of() says
  /// Let the item go also where its target cannot be reached or its run fails; what stays there is
  /// in ItemOutcome::left_behind.
  bool abandon = false;
};

/// Brings one DeployItem to the end of its job (by watches, without polling), or resumes a job that
/// another kubist began. Where its work is not new, what others changed of its objects is mended by
/// a job for only these, or told of in its condition Drifted, as its `drift` says. A job that
/// another kubist ends first has the outcome that this one wrote. Items of foreign types are only
/// waited for. A failed run is an outcome, not an error. Annotations that ask for a run or its end
/// are answered (kubist.io/request: reconcile@ID or interrupt@ID;
/// landscaper.gardener.cloud/operation). When stop is requested the job is left running and its
/// outcome is `running`, or an error of kind cancelled: never a failure.
util::Result<ItemOutcome> run_item(World& world, const std::string& ns, const std::string& name,
                                   const RunOptions& options = {});

/// What run_item() would write of the objects of a manifest or helm item, sent and told by the
/// writer, whose dry run is the server's: nothing in a client's, where nothing would run, and for
/// items of other types. A helm item's chart is rendered as in a run, by one helm; where that fails
/// the outcome does, as the run's would. A client's dry run renders none, and the message says that
/// its objects are not known. `deploy_item` may be one that is not there yet. A failure is an
/// outcome.
util::Result<ItemOutcome> preview_item(World& world, const Json& deploy_item, bool force);

/// Ends the run that an item has under way, whoever drives it: the workload gets SIGTERM, its state
/// is saved, the item is Failed with reason Interrupted. Done: no run was under way. Takes no lock.
util::Result<ItemOutcome> interrupt_item(World& world, const std::string& ns,
                                         const std::string& name);

/// What remove_item() begins with: the one place that says what the deletion of an item runs. Pure.
Uninstall removal_of(const Item& item, const Deployer& deployer, const RemoveItemOptions& options);
/// The same for people, as a sentence about the DeployItem: "DeployItem x runs its deleteScript".
std::string removal_text(const Json& deploy_item, const Settings& settings,
                         const RemoveItemOptions& options = {});

/// Asks for the deletion of an item, where nobody has and it is still that one.
util::Result<> request_item_deletion(World& world, const std::string& ns, const std::string& name,
                                     const std::string& uid);

/// For an item that is being deleted: does what removal_of() says, removes what it kept and drops
/// the finalizer. In a namespace that is being deleted itself no pod is run, and the message says
/// so.
util::Result<ItemOutcome> remove_item(World& world, const std::string& ns, const std::string& name,
                                      const RemoveItemOptions& options = {});

}  // namespace kubist::deployers
