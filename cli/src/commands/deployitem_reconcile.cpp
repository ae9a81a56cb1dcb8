#include <kubist/cli/context.hpp>
#include <kubist/util/deadline.hpp>

#include "commands.hpp"
#include "item_results.hpp"
#include "session.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run_deployitem_reconcile(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto items, named_items(context, arguments));
  KUBIST_TRY(const auto session, open_session(context));
  const util::Deadline deadline(arguments.duration("timeout"), context.stop());
  executors::ReconcileOptions options;
  options.force = arguments.boolean("force");
  options.lock_timeout = arguments.duration("lock-timeout");
  options.own_rights = arguments.boolean("own-rights");
  options.beside = options.own_rights ? executors::Beside::take_over : executors::Beside::hand_over;
  KUBIST_TRY(const auto results,
             session->run_items(items, options, progress_log(context), deadline.token()));
  return print_item_results(context, results, deadline);
}

}  // namespace

CommandSpec deployitem_reconcile_command() {
  return {
      .path = "deployitem reconcile",
      .group = "Day to day",
      .summary = "Run DeployItems and wait until they have ended",
      .details =
          "Runs those whose last run failed, that never ran, or where something has changed since; "
          "with --force all of them. They may belong to an Execution or not. A run that "
          "another kubist began is seen to its end.\n\n"
          "A kubist that watches does the same for 'kubist annotate deployitem NAME "
          "kubist.io/request=reconcile@ID --overwrite' (any ID that is new).",
      .arguments = "NAME...",
      .min_words = 1,
      .max_words = -1,
      .completes = Completes::deploy_items,
      .flags = {{"force", 0, FlagKind::boolean, "", "run them although nothing has changed"},
                {"timeout", 0, FlagKind::duration, "DURATION",
                 "how long to wait, then end with exit code 3; the runs go on; 0 means no limit",
                 "0s"},
                {"lock-timeout", 0, FlagKind::duration, "DURATION",
                 "wait this long for another kubist on the same project", "20s"},
                own_rights_flag()},
      .examples = {{"Try a failed item again",
                    "kubist deployitem reconcile hello-greet -n quickstart"},
                   {"Run it again whatever its state",
                    "kubist deployitem reconcile hello-greet --force"}},
      .run = run_deployitem_reconcile};
}

}  // namespace kubist::cli
