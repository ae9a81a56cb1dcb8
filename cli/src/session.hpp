#pragma once
#include <memory>
#include <string>

#include <kubist/cli/context.hpp>
#include <kubist/executors/replica.hpp>
#include <kubist/executors/session.hpp>
#include <kubist/executors/watch_loop.hpp>

namespace kubist::cli {

/// A session of the engine on the cluster that kubist is pointed at. It holds locks under
/// process_identity(), or in the name of a replica, which outlives it.
util::Result<std::unique_ptr<executors::Session>> open_session(
    Context& context, executors::Replica* replica = nullptr);
/// "USER@HOST/" and a random end that tells two processes of one user on one machine apart: a lock
/// is a process's, not a person's. Another one with each call.
std::string process_identity();

/// The flag --own-rights of what runs the engine.
Flag own_rights_flag();
/// What the flags --parallelism, --lock-timeout, --own-rights, --abandon, --without-uninstall and
/// --force-cleanup say.
executors::ReconcileOptions run_options(const Arguments& arguments);
/// The same with --force-cleanup: of the commands that delete.
executors::ReconcileOptions removal_options(const Arguments& arguments);

/// Says what was left out of a run, for whom the caller's own rights were used, which writes of a
/// dry run would be denied, and which statuses could not be written.
void warn(Context& context, const executors::Run& run);
/// Hooks that say on the log what a watching loop does: what asks for runs, their warnings where
/// they are new, what is in trouble or away. The context outlives them.
executors::WatchHooks log_hooks(Context& context);

}  // namespace kubist::cli
