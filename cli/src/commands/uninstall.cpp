#include <kubist/cli/context.hpp>
#include <kubist/setup/install.hpp>

#include "../dry_run.hpp"
#include "../output/set_report.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

util::Result<int> run_uninstall(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto dry_run, dry_run_of(arguments));
  KUBIST_TRY(const auto client, context.client());
  setup::UninstallOptions options;
  if (context.ns_given()) {
    options.controller_ns = arguments.text("namespace");
  }
  options.force = arguments.boolean("force");
  options.dry_run = dry_run;
  options.timeout = arguments.duration("timeout");
  if (options.force && dry_run == kube::DryRun::none) {
    KUBIST_CHECK(context.confirm_loss("All objects of kubist's kinds go, in all namespaces."));
  }
  SetPrinter printer(context, SetFormat::lines, std::string(dry_run_suffix(dry_run)),
                     no_manifests());
  options.on_result = [&printer](const apply::ObjectResult& result) { printer.result(result); };
  return printer.finish(setup::uninstall_crds(*client, options, context.stop()));
}

}  // namespace

CommandSpec uninstall_command() {
  return {
      .path = "uninstall",
      .group = "Settings",
      .summary = "Remove kubist's kinds and its controller from the cluster",
      .details =
          "Deletes what 'kubist init' installed: the CustomResourceDefinitions, the ClusterRoles "
          "of projects and the controller in --namespace or kubist-system, with that namespace if "
          "init made it. It refuses while objects of these kinds exist, since they would be "
          "deleted with their kind.",
      .flags = {{"force", 0, FlagKind::boolean, "",
                 "delete the objects with their kinds; asks at a terminal, and --yes "
                 "confirms"},
                dry_run_flag("delete nothing: client or server"),
                {"timeout", 0, FlagKind::duration, "DURATION", "how long to wait; 0 means no limit",
                 "60s"}},
      .examples = {{"Remove the kinds", "kubist uninstall"}},
      .run = run_uninstall};
}

}  // namespace kubist::cli
