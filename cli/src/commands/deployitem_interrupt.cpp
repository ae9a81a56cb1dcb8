#include <kubist/cli/context.hpp>
#include <kubist/util/deadline.hpp>

#include "commands.hpp"
#include "item_results.hpp"
#include "session.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run_deployitem_interrupt(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto items, named_items(context, arguments));
  KUBIST_TRY(const auto session, open_session(context));
  const util::Deadline deadline(arguments.duration("timeout"), context.stop());
  KUBIST_TRY(const auto results,
             session->interrupt_items(items, progress_log(context), deadline.token()));
  return print_interrupted(context, results, deadline);
}

}  // namespace

CommandSpec deployitem_interrupt_command() {
  return {
      .path = "deployitem interrupt",
      .group = "Day to day",
      .summary = "End the run that DeployItems have under way",
      .details =
          "The workload gets SIGTERM and, after its grace period, SIGKILL; its state is saved; the "
          "item is Failed with reason Interrupted. It does not matter which kubist runs it, or "
          "whether one does. An item without a run under way stays as it is.",
      .arguments = "NAME...",
      .min_words = 1,
      .max_words = -1,
      .completes = Completes::deploy_items,
      .flags = {{"timeout", 0, FlagKind::duration, "DURATION",
                 "how long to wait for the end, then exit code 3; 0 means no limit", "0s"}},
      .examples = {{"Stop a run", "kubist deployitem interrupt hello-greet -n quickstart"}},
      .run = run_deployitem_interrupt};
}

}  // namespace kubist::cli
