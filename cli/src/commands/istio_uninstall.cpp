#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/istio/uninstall.hpp>
#include <kubist/util/text.hpp>

#include "../dry_run.hpp"
#include "../istio_flags.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::cat;

util::Result<int> run_istio_uninstall(Context& context, const Arguments& arguments) {
  istio::UninstallOptions options;
  if (context.ns_given()) {
    KUBIST_TRY(options.ns, context.ns());
  }
  options.revision = arguments.text("revision");
  options.purge = arguments.boolean("purge");
  options.force = arguments.boolean("force");
  KUBIST_TRY(options.dry_run, dry_run_of(arguments));
  options.timeout = arguments.duration("timeout");
  options.on_step = [&context](std::string_view step) { context.log().line(cat("step: ", step)); };
  options.on_progress = [&context](std::string_view text) { context.log().line(text); };
  options.on_result = result_lines(context, options.dry_run);
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const istio::UninstallOutcome outcome,
             istio::uninstall(*client, options, context.stop()));
  if (!outcome.obstacles.empty()) {
    return util::fail(istio::refusal(outcome.obstacles));
  }
  for (const std::string& note : outcome.notes) {
    context.log().line(cat("note: ", note));
  }
  return k_ok;
}

}  // namespace

CommandSpec istio_uninstall_command() {
  return {
      .path = "istio uninstall",
      .group = "Istio",
      .summary = "Take Istio out without a moment at which it keeps pods from starting",
      .details =
          "Deletes what 'istio install' recorded for a revision. Its webhooks go first, revision "
          "tags that lead to it included; istiod goes when dry runs have shown that the API server "
          "no longer calls them. Then come gateways, ztunnel, the CNI plugin, istiod and the rest. "
          "CustomResourceDefinitions and all configuration stay unless --purge is given, and so do "
          "namespaces and what istiod made at run time.\n\n"
          "It refuses while namespaces or proxies use the revision. One that was interrupted goes "
          "on when it is run again.",
      .flags = {{"revision", 0, FlagKind::text, "REVISION", "which one", "default"},
                {"purge", 0, FlagKind::boolean, "",
                 "delete also the CustomResourceDefinitions, with all configuration of Istio"},
                {"force", 0, FlagKind::boolean, "",
                 "although namespaces or proxies still use it, or webhooks of others lead to it"},
                choice_flag("dry-run", 0, "MODE", "only say what would be deleted: none or client",
                            "none", {"none", "client"}, "client"),
                {"timeout", 0, FlagKind::duration, "DURATION", "wait this long for each step",
                 "5m"}},
      .examples = {{"Take the old revision out after a canary upgrade",
                    "kubist istio uninstall --revision 1-29"},
                   {"Leave nothing of it", "kubist istio uninstall --purge"}},
      .run = run_istio_uninstall};
}

}  // namespace kubist::cli
