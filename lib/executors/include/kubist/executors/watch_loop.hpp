#pragma once
#include <functional>
#include <stop_token>

#include <kubist/engine/triggers.hpp>
#include <kubist/executors/session.hpp>

namespace kubist::executors {

/// Tells what the loop does; called on its thread where nothing else is said.
struct WatchHooks {
  std::function<void(const std::vector<engine::Schedule::Due>&)> starting;  ///< what asks for a run
  std::function<void(const Run&)> finished;
  std::function<void(const util::Error&)>
      trouble;  ///< a run that could not start; it is tried again
  /// One line: watches that went away (and why), stay away or are back. From a thread of its own.
  std::function<void(const std::string& line)> away;
};

/// Runs the selection once, and then again each subtree that a watch event on a kubist object, a
/// policy's definition or an Approval, a change of a namespace that kubist keeps, or a due time
/// names, until stop. Watches are resumed through closed connections and 410; those that the server
/// refuses are tried again until it does not, and told of. Helm items get no charts of this
/// machine. Fails only where the first run cannot be made.
util::Result<> watch_and_reconcile(Session& session, const ReconcileOptions& options,
                                   engine::Observer& observer, const WatchHooks& hooks,
                                   const std::stop_token& stop);

}  // namespace kubist::executors
