#pragma once
#include <memory>
#include <string>
#include <vector>

#include <kubist/deployers/deployer.hpp>
#include <kubist/deployers/handshake.hpp>

namespace kubist::deployers {

struct RunOptions {
  bool force = false;  ///< run although nothing has changed
  bool wait = true;    ///< false: one step, then tell where it stands
  /// Ask for a new job only where one is needed: the last one failed, or its hash differs. (Jobs
  /// that are asked for already are run in any case, unless updateOnChangeOnly and nothing
  /// changed.)
  bool trigger = true;
  /// The item as it was read or written in this run, not long ago; null: it is read.
  std::shared_ptr<const Json> known = nullptr;
};

/// How an item stands after run_item() or remove_item().
struct ItemOutcome {
  Progress::State state = Progress::State::done;
  bool ran = false;  ///< a job was run (else nothing had changed, and nothing was written)
  std::string phase;
  std::string reason;
  std::string message;  ///< may be shown: redacted
  std::string drift;    ///< what others changed of its objects and was left so; empty: nothing
  Json item;            ///< the DeployItem as it is now
  std::vector<std::string> left_behind;  ///< by a removal that let go of it (abandon)
};

/// The same by its status, whoever works on it; `ran` is not known. Pure.
ItemOutcome outcome_of_item(const Json& deploy_item);

struct RemoveItemOptions {
  bool wait = true;             ///< false: one step, then tell where it stands
  bool skip_uninstall = false;  ///< nothing is run, whatever removal_of() says
  /// Let the item go also where its target cannot be reached or its run fails; what stays there is
  /// in ItemOutcome::left_behind.
  bool abandon = false;
};

/// Brings one DeployItem to the end of its job (by watches, without polling), or resumes a job that
/// another kubist began. Where its work is not new, what others changed of its objects is mended by
/// a job for these alone, or told of in its condition Drifted, as its `drift` says. A job that
/// another kubist ends first has the outcome that this one wrote. Items of foreign types are only
/// waited for. A failed run is an outcome, not an error. Annotations that ask for a run or its end
/// are answered (kubist.io/request: reconcile@ID or interrupt@ID;
/// landscaper.gardener.cloud/operation). When stop is requested the job is left running and its
/// outcome is `running`, or an error of kind cancelled: never a failure.
util::Result<ItemOutcome> run_item(World& world, const std::string& ns, const std::string& name,
                                   const RunOptions& options = {});

/// What run_item() would write of the objects of a manifest item, sent and told by the writer,
/// whose dry run is the server's: nothing in a client's, where nothing would run, and for items of
/// other types. Of a helm item the message says that its objects are not known. `deploy_item` may
/// be one that is not there yet. A failure is an outcome.
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
