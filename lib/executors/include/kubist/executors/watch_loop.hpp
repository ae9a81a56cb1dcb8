#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>

#include <kubist/engine/triggers.hpp>
#include <kubist/executors/session.hpp>

namespace kubist::executors {

/// How the loop stands.
struct LoopState {
  std::size_t waiting = 0;                   ///< subtrees that are due some time
  std::size_t added = 0;                     ///< all that have ever been asked for
  std::size_t running = 0;                   ///< runs
  std::optional<std::size_t> projects = {};  ///< that this replica has; nothing: there are none
  std::size_t replicas = 0;                  ///< that renew their Leases
  bool planned = false;                      ///< it has seen a tree
};

/// Tells what the loop does; called on its thread where nothing else is said. What one throws is
/// told as trouble; what that throws is not.
struct WatchHooks {
  /// What asks for that run.
  std::function<void(const std::string& run_id, const std::vector<engine::Schedule::Due>&)>
      starting;
  std::function<void(const Run&)> finished;
  /// A run that could not start, which is tried again; what the loop's own thread threw.
  std::function<void(const util::Error&)> trouble;
  /// One line: watches that went away (and why), stay away or are back. From a thread of its own.
  std::function<void(const std::string& line)> away;
  /// Each time it has done what there was, and at least once a minute.
  std::function<void(const LoopState&)> turned = {};
};

/// Runs the selection once, and then again each subtree that a watch event on a kubist object, a
/// policy's definition or an Approval, a change of a namespace that kubist keeps, or a due time
/// names, until stop. Watches are resumed through closed connections and 410; those that the server
/// refuses are tried again until it does not, and told of. Helm items get no charts of this
/// machine. Fails only where the first run cannot be made: what is thrown later, it tells, and
/// looks at all of the selection again after 5 s, or up to a minute where it is thrown again and
/// again.
///
/// With a replica (Session::Options), which has been started, it acts only on the projects that
/// the replica holds: each replica takes those that are its share of them, from who is gone too,
/// and gives up the others when no run is at work on them. At the end it ends the replica.
util::Result<> watch_and_reconcile(Session& session, const ReconcileOptions& options,
                                   engine::Observer& observer, const WatchHooks& hooks,
                                   const std::stop_token& stop);

}  // namespace kubist::executors
