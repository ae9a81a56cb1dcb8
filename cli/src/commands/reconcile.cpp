#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/executors/watch_loop.hpp>
#include <kubist/util/deadline.hpp>
#include <kubist/util/memory.hpp>
#include <kubist/util/text.hpp>

#include "apply_input.hpp"
#include "commands.hpp"
#include "dry_run.hpp"
#include "output/run_page.hpp"
#include "output/run_report.hpp"
#include "reconcile_input.hpp"
#include "report/reports.hpp"
#include "selection.hpp"
#include "session.hpp"
#include "terminal/live_run.hpp"

namespace kubist::cli {
namespace {

using executors::ReconcileOptions;
using executors::Run;
using util::cat;
using util::ErrorKind;

util::Result<ReconcileOptions> options_of(Context& context, const Arguments& arguments) {
  ReconcileOptions options = run_options(arguments);
  KUBIST_TRY(options.selection, read_selection(context, arguments.words()));
  KUBIST_TRY(options.dry_run, dry_run_of(arguments));
  options.outside.all = arguments.boolean("all-namespaces");
  if (options.outside.all && !options.selection.empty()) {
    return util::fail(ErrorKind::usage, "--all-namespaces and names cannot go together");
  }
  options.force = arguments.boolean("force");
  // What a replica is asked for is a run as it makes them.
  const bool special = options.force || options.abandon || options.skip_uninstall ||
                       options.own_rights || arguments.boolean("watch");
  options.beside = arguments.boolean("take-over") ? executors::Beside::take_over
                   : special                      ? executors::Beside::wait
                                                  : executors::Beside::hand_over;
  options.resync =
      std::chrono::duration_cast<std::chrono::milliseconds>(arguments.duration("resync"));
  if (const auto timeout = arguments.duration("timeout"); timeout.count() > 0) {
    options.settle = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  }
  return options;
}

/// DeployItems that somebody named are reconciled in any namespace.
void name_items(ReconcileOptions& options) {
  for (const engine::Key& key : options.selection) {
    if (key.kind == "DeployItem") {
      options.outside.named.insert(key);
    }
  }
}

void report_run(Context& context, RunReport report, const Run& run) {
  Reports& reports = context.reports();
  if (reports.plain()) {
    print_run(run, context.out_color(), context.out());
  }
  reports.deliver(std::move(report), context.out());
}

util::Result<int> watch(Context& context, executors::Session& session, ReconcileInput& input,
                        ReconcileOptions options) {
  RunPage page(context);
  const auto observer = page.follow(options, progress_of(context));
  executors::WatchHooks hooks = log_hooks(context);
  hooks.finished = [&, warn_of = hooks.finished](const Run& run) {
    warn_of(run);
    // Before the picture is held: this reads releases, and the thread that answers may log.
    RunReport report = input.report(run);
    page.add_to(report, run);
    context.picture().aside([&] {
      report_run(context, std::move(report), run);
      context.out().flush();
    });
  };
  KUBIST_CHECK(
      context.arguments().given("filename")
          ? input.watch(session, options, *observer, hooks)
          : executors::watch_and_reconcile(session, options, *observer, hooks, context.stop()));
  return util::fail(ErrorKind::cancelled, "stopped watching");
}

util::Result<int> run_reconcile(Context& context, const Arguments& arguments) {
  if (arguments.boolean("watch")) {
    util::expect_rest();
  }
  KUBIST_CHECK(check_detailed_exitcode(arguments));
  KUBIST_TRY(ReconcileOptions options, options_of(context, arguments));
  const util::Deadline deadline(arguments.duration("timeout"), context.stop());
  bool changes = false;
  ReconcileInput input(context, arguments);
  if (arguments.given("filename")) {
    KUBIST_TRY(const apply::Report applied, input.apply_first(options));
    changes = changes_objects(applied);
    if (options.selection.empty()) {
      context.log().line("there are no objects of the tree in the input: nothing to reconcile");
      return detailed_exit_code(arguments, k_ok, changes);
    }
  }
  name_items(options);
  KUBIST_TRY(const auto session, open_session(context));
  if (arguments.boolean("watch")) {
    return watch(context, *session, input, options);
  }
  RunPage page(context);
  auto observer = page.follow(options, progress_of(context));
  KUBIST_TRY(const Run run, session->run(options, *observer, deadline.token()));
  observer.reset();
  warn(context, run);
  RunReport report = input.report(run);
  page.add_to(report, run);
  report_run(context, std::move(report), run);
  if (run.report.stopped) {
    return deadline.cut_short(cat(run.report.summary.not_started, " nodes were not started"));
  }
  return detailed_exit_code(arguments, exit_code_of(run), changes || run.report.summary.writes > 0);
}

std::vector<Flag> flags() {
  std::vector<Flag> all = apply_flags();
  const std::vector<Flag> own{
      {"watch", 'w', FlagKind::boolean, "", "keep watching and reconciling until a signal"},
      {"all-namespaces", 'A', FlagKind::boolean, "",
       "also DeployItems of namespaces that no Project owns"},
      {"resync", 0, FlagKind::duration, "DURATION",
       "with --watch: how often everything is reconciled without a change; 0s: never", "1h"},
      report_flag(),
      progress_flag(),
      detailed_exitcode_flag(),
      {"parallelism", 0, FlagKind::number, "N",
       "resources worked on at once; where it is given, also the items of an Execution, which "
       "otherwise run as soon as they can",
       "16"},
      {"timeout", 0, FlagKind::duration, "DURATION",
       "end after this long with exit code 3; by default the run has no limit, but what is not "
       "ready is waited for 5m at most"},
      {"lock-timeout", 0, FlagKind::duration, "DURATION",
       "wait this long for another kubist on the same project; a dead one's lock ends after 15s",
       "20s"},
      {"take-over", 0, FlagKind::boolean, "",
       "beside a controller: take projects from its replicas for this run, instead of having it "
       "done by them"},
      own_rights_flag(),
      {"force", 0, FlagKind::boolean, "", "run DeployItems again though nothing has changed"},
      {"abandon", 0, FlagKind::boolean, "",
       "release what cannot be reached or undone when deleting, and list what is left behind"},
      {"without-uninstall", 0, FlagKind::boolean, "",
       "delete DeployItems without what runs at their deletion"}};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

}  // namespace

CommandSpec reconcile_command() {
  return {
      .path = "reconcile",
      .group = "Start here",
      .summary = "Walk the tree and bring everything in line",
      .details =
          "Runs each resource's policies, then its executor, then its children. A resource that "
          "fails stops its own subtree only. Nothing is written where nothing has changed. Objects "
          "that are being deleted are taken away in reverse order.\n\n"
          "With -f, the files are applied first (as 'kubist apply' does, with the same flags), and "
          "then what they describe is reconciled, with all that is below it. With --watch they are "
          "applied again each time that they change. With --prune and --inventory, what left them "
          "is deleted, as 'kubist delete' does it. Input with an error changes nothing.\n\n"
          "What others changed or deleted of the objects that kubist keeps, those of manifest and "
          "helm items included, is restored, or only reported where their 'drift' says so.\n\n"
          "With --watch the same loop goes on: each change, drift or due time runs its subtree "
          "again. So does a change of a Secret or ConfigMap that its spec names, or of the Istio "
          "on its cluster. Such runs go on side by side: none waits for a script, a pod or a "
          "policy of another subtree. A resource is never worked on twice at once. What is not "
          "watched, such as the Secrets of items, is compared hourly (--resync). A kind or a "
          "cluster that cannot be watched at present is tried again, and a line says so.\n\n"
          "A DeployItem in a namespace that no Project owns is reconciled where it is named, by -f "
          "or as deployitem/NAME -n NAMESPACE, or with --all-namespaces. What it asks for is done "
          "as the ServiceAccount of its namespace that its spec.serviceAccountName names, by "
          "default 'default'.\n\n"
          "Beside 'kubist controller' the replica that has a project does what there is to do in "
          "it. It is asked by the annotation kubist.io/request and waited for; what it comes to is "
          "the output and the exit code. With --take-over, the run takes the project from the "
          "replica, does it itself, and gives the project back. --force, --abandon, "
          "--without-uninstall and --own-rights need --take-over there. A dry run needs "
          "neither.\n\n"
          "With --dry-run=server the API server checks each write, also those of DeployItems that "
          "would run with manifests or charts. What it would deny a project's account is listed, "
          "each with the command that grants it, and the exit code is 1.",
      .arguments = "[KIND NAME... | KIND/NAME... | -f FILE]",
      .max_words = -1,
      .completes = Completes::resource_names,
      .flags = flags(),
      .examples = {{"Bring the whole environment in line", "kubist reconcile"},
                   {"Only one project, and keep it so", "kubist reconcile project shop --watch"},
                   {"Apply a folder and bring it about", "kubist reconcile -f env/"},
                   {"Keep the cluster as a folder says, while it changes",
                    "kubist reconcile -f env/ --watch --prune --inventory env"},
                   {"See what would be written", "kubist reconcile --dry-run=server"},
                   {"Detect drift in CI: exit code 2 if something would be written",
                    "kubist reconcile --dry-run=server --detailed-exitcode"},
                   {"In a pipeline", "kubist reconcile --report junit=kubist.xml --timeout 10m"}},
      .run = run_reconcile};
}

}  // namespace kubist::cli
