#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/apply/remove.hpp>
#include <kubist/executors/session.hpp>

namespace kubist::executors {

struct DeletionOptions {
  /// Of each request. `on_result` is told of what is none of the tree, and of what failed; `wait`
  /// is of these, too.
  apply::RemoveOptions remove;
  ReconcileOptions run;   ///< of the engine and of DeployItems
  bool wait_tree = true;  ///< until the engine has taken the tree away; false: it is asked for
};

/// All are called by the caller's thread, but for what the observer says otherwise.
struct DeletionHooks {
  std::function<util::Result<std::unique_ptr<Session>>()> open;  ///< only where one is needed
  engine::Observer& observer;                                    ///< of the engine's run
  /// An object of the tree that was named is gone; without wait_tree: its deletion was asked for.
  std::function<void(const engine::Key&)> on_gone;
  /// The engine's run, at its end. Is all gone that was to go? Else nothing more is deleted.
  std::function<bool(const Run&)> on_run;
  std::function<void(const std::string&)> note;  ///< what a dry run would run
  std::function<void(const std::string&)> log;   ///< what is waited for, or not deleted, and why
};

/// Deletes objects, in the order in which they need each other: the tree, DeployItems, the others.
///
/// - The tree: asks for the deletion of what was named, then runs the engine until it and all below
///   it is gone.
/// - DeployItems by themselves: does what their Execution's removal would do (what runs at their
///   deletion, what they keep), since nobody else may be there to do it. Says so where an Execution
///   will make an item again.
/// - What is left of the tree and of items may need the others: they stay then.
///
/// The report has what was asked for and what was removed by requests; the tree's own is the run's.
/// An error is timeout, cancelled, or usage (orphans of the tree).
util::Result<apply::Report> delete_objects(kube::Client& home, std::vector<apply::Target> targets,
                                           const DeletionOptions& options,
                                           const DeletionHooks& hooks, const std::stop_token& stop);

}  // namespace kubist::executors
