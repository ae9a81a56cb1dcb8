#pragma once
#include <functional>
#include <stop_token>

#include <kubist/engine/triggers.hpp>
#include <kubist/executors/reconcile.hpp>

namespace kubist::executors {

/// Tells what the loop does; called on its thread.
struct WatchHooks {
  std::function<void(const std::vector<engine::Schedule::Due>&)> starting;  ///< what asks for a run
  std::function<void(const Run&)> finished;
  std::function<void(const util::Error&)>
      trouble;  ///< a run that could not start; it is tried again
};

/// Runs the selection once, and then again each subtree that a watch event on a kubist object, a
/// policy's definition or an Approval, a change of a namespace that kubist keeps, or a due time
/// names, until stop. Watches are resumed through closed connections and 410. Fails only where the
/// first run cannot be made.
util::Result<> watch_and_reconcile(Session& session, const ReconcileOptions& options,
                                   engine::Observer& observer, const WatchHooks& hooks,
                                   const std::stop_token& stop);

}  // namespace kubist::executors
