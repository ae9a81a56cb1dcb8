#include <algorithm>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/executors/deletion.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "../delete_printer.hpp"
#include "../delete_targets.hpp"
#include "../dry_run.hpp"
#include "../input.hpp"
#include "../report/reports.hpp"
#include "../session.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::ErrorKind;

util::Result<apply::RemoveOptions> options_of(const Arguments& arguments) {
  apply::RemoveOptions options;
  KUBIST_TRY(options.dry_run, dry_run_of(arguments));
  const std::string cascade = arguments.text("cascade");
  options.propagation = cascade == "foreground"                     ? kube::Propagation::foreground
                        : cascade == "orphan" || cascade == "false" ? kube::Propagation::orphan
                                                                    : kube::Propagation::background;
  options.ignore_not_found = arguments.boolean("ignore-not-found");
  const bool force = arguments.boolean("force");
  const bool now = arguments.boolean("now");
  const long long grace = arguments.number("grace-period");
  if (force && (grace > 0 || now)) {
    return util::fail(ErrorKind::usage, now ? "--force and --now cannot go together"
                                            : "--force and a --grace-period above 0 cannot go "
                                              "together");
  }
  if (now && grace >= 0) {
    return util::fail(ErrorKind::usage, "--now and --grace-period cannot go together");
  }
  if (grace == 0 && !force) {
    options.grace_seconds = 1;  // as kubectl: 0 without --force means at once, but in order
  } else if (grace >= 0) {
    options.grace_seconds = grace;
  } else if (force) {
    options.grace_seconds = 0;
  } else if (now) {
    options.grace_seconds = 1;
  }
  options.wait = arguments.given("wait") ? arguments.boolean("wait") : !force;
  options.timeout = arguments.duration("timeout");
  return options;
}

util::Result<int> delete_all(Context& context, const Arguments& arguments,
                             std::vector<apply::Target> targets, apply::RemoveOptions remove,
                             DeletionPrinter& printer) {
  const bool dry = remove.dry_run != kube::DryRun::none;
  const executors::DeletionOptions options{
      std::move(remove), removal_options(arguments),
      arguments.given("wait") ? arguments.boolean("wait") : true};
  TreePrinter tree(context, arguments, dry, printer);
  int code = k_ok;
  const executors::DeletionHooks hooks{
      .open = [&] { return open_session(context); },
      .observer = tree,
      .on_gone = [&](const engine::Key& key) { tree.gone(key); },
      .on_run =
          [&](const executors::Run& run) {
            code = tree.run(run);
            return code == k_ok;
          },
      .note = [&](const std::string& text) { printer.note(text); },
      .log = [&](const std::string& text) { context.log().line(text); }};
  KUBIST_TRY(const auto client, context.client());
  const auto report =
      executors::delete_objects(*client, std::move(targets), options, hooks, context.stop());
  if (!report) {
    printer.failed(report.error());
    return util::fail(report.error());
  }
  KUBIST_TRY(const int failed, printer.finish(*report));
  return code != k_ok ? code : failed;
}

Places places_of(const std::vector<apply::Target>& targets) {
  Places places;
  for (const apply::Target& target : targets) {
    if (!target.pos.origin.empty()) {
      const auto& resource = target.resource;
      places[{resource.group, resource.kind, target.ns, target.name}] = target.pos;
    }
  }
  return places;
}

void warn_of(const Context& context, const apply::RemoveOptions& options,
             const std::vector<apply::Target>& targets) {
  if (context.ns_given() &&
      std::any_of(targets.begin(), targets.end(),
                  [](const apply::Target& target) { return !target.resource.namespaced; })) {
    context.log().warn("deleting cluster-scoped resources, not scoped to the provided namespace");
  }
  if (options.grace_seconds == 0) {
    context.log().warn(
        "Immediate deletion does not wait for confirmation that the running resource has been "
        "terminated. The resource may continue to run on the cluster indefinitely.");
  }
}

/// Namespaces go with these, and all data in them.
util::Result<> confirm(Context& context, const apply::RemoveOptions& options,
                       const std::vector<apply::Target>& targets) {
  std::vector<std::string> names;
  for (const apply::Target& target : targets) {
    const std::string& kind = target.resource.kind;
    if (target.resource.group == resources::k_kubist_group &&
        (kind == "Project" || kind == "Cluster" || kind == "VirtualCluster")) {
      names.push_back(util::cat(kind, '/', target.name));
    }
  }
  return names.empty() || options.dry_run != kube::DryRun::none
             ? util::Result<>{}
             : context.confirm_loss(util::cat(util::join(names, ", "),
                                              ": the namespaces that kubist made for it go, with "
                                              "all data in them."));
}

util::Result<int> run_delete(Context& context, const Arguments& arguments) {
  KUBIST_CHECK(check_detailed_exitcode(arguments));
  KUBIST_TRY(auto options, options_of(arguments));
  KUBIST_TRY(auto targets, delete_targets(context, arguments, options.ignore_not_found));
  if (targets.empty()) {
    if (!options.ignore_not_found && context.reports().plain()) {
      context.out().write("No resources found\n");
    }
    return k_ok;
  }
  warn_of(context, options, targets);
  KUBIST_CHECK(confirm(context, options, targets));
  DeletionPrinter printer(context, arguments.text("output") == "name", arguments.boolean("force"),
                          std::string(dry_run_suffix(options.dry_run)), places_of(targets));
  options.on_result = [&](const apply::ObjectResult& result) { printer.result(result); };
  options.on_progress = [&context](std::string_view line) { context.log().line(line); };
  KUBIST_TRY(const int code, delete_all(context, arguments, std::move(targets), options, printer));
  return detailed_exit_code(arguments, code, printer.deletes());
}

}  // namespace

CommandSpec delete_command() {
  return {
      .path = "delete",
      .group = "Day to day",
      .summary = "Delete objects and wait until they are gone",
      .details =
          "What depends on others goes first; the rest goes in parallel. Each deletion names the "
          "uid of what was seen, so that an object made again meanwhile stays.\n\n"
          "Projects, Clusters, VirtualClusters and Executions go with all that is below them in "
          "the tree and what kubist made for them, from the leaves up. First executions are "
          "undone, then namespaces go, then the clusters' credentials are released. What was "
          "adopted, or has "
          "deletionPolicy Orphan, stays and is listed. At a terminal, kubist asks before a "
          "Project, "
          "a Cluster or a VirtualCluster goes; --yes confirms. With --wait=false the deletion is "
          "only "
          "requested; the next 'kubist reconcile' does the rest. When a target cannot be reached, "
          "what depends on it stays too, until --abandon releases it. The Root goes, but its "
          "projects stay. A DeployItem goes by itself too; its Execution makes it again with its "
          "next reconcile.\n\n"
          "Deleting a DeployItem may run something: a container runs once more with "
          "OPERATION=DELETE (onDelete: Skip leaves that out), a script's deleteScript runs if "
          "there is one. Items whose workload has never started run nothing. --dry-run lists what "
          "would run, and where nothing does, why.",
      .arguments = "(-f FILE | TYPE NAME... | TYPE/NAME... | TYPE -l SELECTOR | TYPE --all)",
      .min_words = 0,
      .max_words = -1,
      .completes = Completes::resource_names,
      .flags = {filename_flag(),
                recursive_flag(),
                {"selector", 'l', FlagKind::text, "SELECTOR", "objects with these labels"},
                {"field-selector", 0, FlagKind::text, "SELECTOR", "objects with these fields"},
                {"all", 0, FlagKind::boolean, "", "all objects of the types in the namespace"},
                {"all-namespaces", 'A', FlagKind::boolean, "", "in all namespaces"},
                {"ignore-not-found", 0, FlagKind::boolean, "",
                 "objects that are not there are fine"},
                choice_flag(
                    "cascade", 0, "MODE",
                    "what becomes of dependents: background (or true), foreground or orphan (or "
                    "false)",
                    "background", {"background", "foreground", "orphan", "true", "false"},
                    "background"),
                {"grace-period", 0, FlagKind::number, "SECONDS",
                 "time to end gracefully; negative means the object's own", "-1"},
                {"force", 0, FlagKind::boolean, "", "do not wait for the kubelet: grace period 0"},
                {"now", 0, FlagKind::boolean, "", "grace period 1"},
                {"wait", 0, FlagKind::boolean, "",
                 "wait until the objects are gone (default true, with --force false)"},
                {"timeout", 0, FlagKind::duration, "DURATION",
                 "how long to wait, then end with exit code 3; 0 means no limit", "0s"},
                dry_run_flag("delete nothing: client or server"),
                detailed_exitcode_flag(),
                choice_flag("output", 'o', "FORMAT", "name prints only TYPE/NAME", "", {"name"}),
                report_flag(),
                {"parallelism", 0, FlagKind::number, "N",
                 "resources worked on at once; where it is given, also DeployItems", "16"},
                {"lock-timeout", 0, FlagKind::duration, "DURATION",
                 "wait this long for another kubist on the same project", "20s"},
                own_rights_flag(),
                {"abandon", 0, FlagKind::boolean, "",
                 "release what cannot be reached or undone, and list what is left behind"},
                {"without-uninstall", 0, FlagKind::boolean, "",
                 "delete DeployItems without what runs at their deletion"},
                {"force-cleanup", 0, FlagKind::boolean, "",
                 "--without-uninstall and --abandon together: only clean up"}},
      .examples = {{"Delete what a folder describes", "kubist delete -f env/"},
                   {"Take a whole environment away", "kubist delete project shop --timeout=10m"},
                   {"The same, though a cluster of it is gone",
                    "kubist delete project shop --abandon"},
                   {"What would run, and what would go",
                    "kubist delete project shop --dry-run=client"},
                   {"Delete by label", "kubist delete deployments,services -l app=web"}},
      .run = run_delete};
}

}  // namespace kubist::cli
