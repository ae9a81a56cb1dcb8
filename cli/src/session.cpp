#include "session.hpp"

#include <unistd.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "error_text.hpp"

namespace kubist::cli {

std::string process_identity() {
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  const std::string user = util::environment("USER");
  return util::cat(user.empty() ? std::to_string(::getuid()) : user, '@', host, '/',
                   util::random_uuid().substr(0, 8));
}

util::Result<std::unique_ptr<executors::Session>> open_session(Context& context,
                                                               executors::Replica* replica) {
  KUBIST_TRY(const auto client, context.client());
  executors::Session::Options options;
  options.identity = replica != nullptr ? replica->identity() : process_identity();
  options.replica = replica;
  options.clients = context.client_options();
  options.notifications.log = [&context](const std::string& line) { context.log().line(line); };
  options.notifications.trouble = [&context](const std::string& text) { context.log().warn(text); };
  KUBIST_TRY(options.local, executors::read_local_config());
  return executors::Session::open(client, std::move(options), context.stop());
}

Flag own_rights_flag() {
  return {"own-rights", 0, FlagKind::boolean, "",
          "use your own rights for projects further than by default: outside of their namespaces "
          "where kubist may not act as their accounts, else to delete what these may not"};
}

executors::ReconcileOptions run_options(const Arguments& arguments) {
  executors::ReconcileOptions options;
  options.abandon = arguments.boolean("abandon");
  options.skip_uninstall = arguments.boolean("without-uninstall");
  options.parallelism = static_cast<std::size_t>(std::max(1LL, arguments.number("parallelism")));
  options.item_parallelism = arguments.given("parallelism") ? options.parallelism : 0;
  options.lock_timeout = arguments.duration("lock-timeout");
  options.own_rights = arguments.boolean("own-rights");
  return options;
}

executors::ReconcileOptions removal_options(const Arguments& arguments) {
  executors::ReconcileOptions options = run_options(arguments);
  const bool only_clean_up = arguments.boolean("force-cleanup");
  options.abandon = options.abandon || only_clean_up;
  options.skip_uninstall = options.skip_uninstall || only_clean_up;
  // What a replica takes away it takes away as the flags' defaults say.
  options.beside = options.abandon || options.skip_uninstall || options.own_rights
                       ? executors::Beside::take_over
                       : executors::Beside::hand_over;
  return options;
}

void warn(Context& context, const executors::Run& run) {
  for (const std::string& warning : run.warnings) {
    context.log().line(util::cat("warning: ", warning));
  }
  for (const std::string& denied : run.denied) {
    context.log().line(util::cat("denied: ", denied));
  }
  for (const util::Error& error : run.report.status_errors()) {
    context.log().line(error_text(error));
  }
}

executors::WatchHooks log_hooks(Context& context) {
  executors::WatchHooks hooks;
  const util::Log& log = context.log();
  hooks.starting = [&log](const std::string& run_id, const auto& due) {
    for (const auto& entry : due) {
      log.line(util::cat("run ", run_id, ": ", resources::to_string(entry.key), ": ",
                         engine::to_string(entry.cause)));
    }
  };
  hooks.finished = [&context,
                    warned = std::vector<std::string>()](const executors::Run& run) mutable {
    if (run.warnings != warned) {
      warn(context, run);
      warned = run.warnings;
    }
  };
  hooks.trouble = [&log](const util::Error& error) { log.line(error.to_string()); };
  hooks.away = [&log](const std::string& line) { log.line(line); };
  return hooks;
}

}  // namespace kubist::cli
