#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/istio/move.hpp>
#include <kubist/util/text.hpp>

#include "../dry_run.hpp"
#include "../istio_flags.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::cat;

std::string line_of(const istio::Behind& each, bool restart) {
  const std::string what = restart && !each.why_not.empty()
                               ? cat(istio::to_string(each), ": ", each.why_not)
                               : istio::to_string(each);
  return util::printable(cat(util::lower(each.kind), '/', each.ns, '/', each.name, ": ", what));
}

util::Result<int> run_istio_move(Context& context, const Arguments& arguments) {
  istio::MoveOptions options;
  options.revision = arguments.text("revision");
  if (options.revision.empty()) {
    return util::fail(util::ErrorKind::usage, "--revision says to which revision or tag", "");
  }
  options.namespaces = arguments.words();
  options.restart = arguments.boolean("restart");
  KUBIST_TRY(options.dry_run, dry_run_of(arguments));
  options.timeout = arguments.duration("timeout");
  options.on_done = [&](std::string_view subject, std::string_view what) {
    context.out().write(
        cat(util::printable(subject), ' ', what, dry_run_suffix(options.dry_run), '\n'));
    context.out().flush();
  };
  options.on_progress = [&context](std::string_view text) { context.log().line(text); };
  KUBIST_TRY(const istio::SupportTable support, support_of(arguments));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const istio::MoveOutcome outcome,
             istio::move(*client, options, support, context.stop()));
  if (!outcome.obstacles.empty()) {
    return util::fail(istio::refusal(outcome.obstacles));
  }
  for (const istio::Behind& each : outcome.behind) {
    context.out().write(cat(line_of(each, options.restart), '\n'));
  }
  for (const std::string& note : outcome.notes) {
    context.log().line(cat("note: ", note));
  }
  if (!outcome.behind.empty() && !options.restart) {
    context.log().line("note: pods keep their proxies until they are recreated; --restart does it");
  }
  return outcome.behind.empty() || !options.restart || options.dry_run != kube::DryRun::none
             ? k_ok
             : k_not_ready;
}

}  // namespace

CommandSpec istio_move_command() {
  return {
      .path = "istio move",
      .group = "Istio",
      .summary = "Move namespaces to another revision of Istio, and restart what runs in them",
      .details =
          "The middle of a canary upgrade. The new revision is installed beside the old one "
          "('istio install' of manifests with another revision). Then namespaces go over one after "
          "the other, and at last the old one goes ('istio uninstall --revision').\n\n"
          "Labels each NAMESPACE istio.io/rev=REVISION and takes the label istio-injection away. "
          "It refuses a revision or revision tag that does not exist or does not work, and "
          "namespaces whose labels a VirtualCluster keeps. Then it prints the workloads of which "
          "pods still have the proxy of another revision, or none. With --restart it first proves "
          "by server dry runs that new pods would get the new proxy. Then it restarts those "
          "workloads as 'kubectl rollout restart' does, and waits. Jobs and pods that nothing "
          "recreates stay as they are and make the exit code 3. What is as it should be is not "
          "written: run "
          "it again to go on.",
      .arguments = "NAMESPACE...",
      .min_words = 1,
      .max_words = -1,
      .completes = Completes::namespaces,
      .flags = {{"revision", 0, FlagKind::text, "REVISION", "to which revision or revision tag"},
                {"restart", 0, FlagKind::boolean, "",
                 "restart Deployments, StatefulSets and DaemonSets with pods of another revision"},
                choice_flag("dry-run", 0, "MODE",
                            "only check, and say what would be done: none or client", "none",
                            {"none", "client"}, "client"),
                {"timeout", 0, FlagKind::duration, "DURATION",
                 "wait this long for new proxies, and for all that was restarted", "5m"},
                supported_flag()},
      .examples = {{"See what would move", "kubist istio move shop --revision 1-31 --dry-run"},
                   {"Move two namespaces, and then take the old revision out",
                    "kubist istio move shop blog --revision 1-31 --restart && kubist istio "
                    "uninstall --revision 1-30"}},
      .run = run_istio_move};
}

}  // namespace kubist::cli
