#include <unistd.h>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/executors/watch_loop.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "deadline.hpp"
#include "dry_run.hpp"
#include "output/run_report.hpp"
#include "selection.hpp"

namespace kubist::cli {
namespace {

using executors::ReconcileOptions;
using executors::Run;
using util::cat;
using util::ErrorKind;

/// Lines for people while a run goes on.
class ProgressLines final : public engine::Observer {
 public:
  explicit ProgressLines(const util::Log& log) : m_log(log) {}
  void progress(const engine::Node& node, const std::string& message) override {
    if (std::exchange(m_last[node.id], message) != message) {
      m_log.line(cat(engine::to_string(node), ": ", util::printable(message)));
    }
  }
  void finished(const engine::Node& node, const engine::NodeReport& report) override {
    if (report.state == engine::NodeState::failed) {
      m_log.line(
          cat(engine::to_string(node), ": ", report.reason, ": ", util::printable(report.message)));
    }
  }

 private:
  const util::Log& m_log;
  std::map<engine::NodeId, std::string> m_last;  ///< said once while it stays the same
};

std::string identity() {
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  const std::string user = util::environment("USER");
  // The end tells two runs of one user on one machine apart: a lock is a process's, not a person's.
  return cat(user.empty() ? std::to_string(::getuid()) : user, '@', host, '/',
             util::random_uuid().substr(0, 8));
}

util::Result<ReconcileOptions> options_of(Context& context, const Arguments& arguments) {
  ReconcileOptions options;
  KUBIST_TRY(options.selection, read_selection(context, arguments.words()));
  KUBIST_TRY(options.dry_run, dry_run_of(arguments));
  options.abandon = arguments.boolean("abandon");
  options.force = arguments.boolean("force");
  options.skip_uninstall = arguments.boolean("without-uninstall");
  options.parallelism = static_cast<std::size_t>(std::max(1LL, arguments.number("parallelism")));
  options.lock_timeout = arguments.duration("lock-timeout");
  if (const auto timeout = arguments.duration("timeout"); timeout.count() > 0) {
    options.settle = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  }
  return options;
}

util::Result<int> watch(Context& context, executors::Session& session,
                        const ReconcileOptions& options, const std::string& form) {
  ProgressLines observer(context.log());
  executors::WatchHooks hooks;
  hooks.starting = [&](const auto& due) {
    for (const auto& entry : due) {
      context.log().line(
          cat(resources::to_string(entry.key), ": ", engine::to_string(entry.cause)));
    }
  };
  hooks.finished = [&](const Run& run) {
    print_run(run, form, context.out_color(), context.out());
    context.out().flush();
  };
  hooks.trouble = [&](const util::Error& error) { context.log().line(error.to_string()); };
  KUBIST_CHECK(executors::watch_and_reconcile(session, options, observer, hooks, context.stop()));
  return util::fail(ErrorKind::cancelled, "stopped watching");
}

util::Result<int> run(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const ReconcileOptions options, options_of(context, arguments));
  KUBIST_TRY(const auto client, context.client());
  executors::Session::Options session_options;
  session_options.identity = identity();
  session_options.clients = context.client_options();
  KUBIST_TRY(const auto session, executors::Session::open(client, session_options, context.stop()));
  const std::string form = arguments.text("report");
  if (arguments.boolean("watch")) {
    return watch(context, *session, options, form);
  }
  const Deadline deadline(arguments.duration("timeout"), context.stop());
  ProgressLines observer(context.log());
  KUBIST_TRY(const Run run, session->run(options, observer, deadline.token()));
  print_run(run, form, context.out_color(), context.out());
  if (run.report.stopped) {
    const std::string left = cat(run.report.summary.not_started, " nodes were not started");
    return deadline.passed() ? util::fail(ErrorKind::timeout, cat("the time is over: ", left))
                             : util::fail(ErrorKind::cancelled, cat("stopped: ", left));
  }
  return exit_code_of(run.report);
}

}  // namespace

const CommandSpec& reconcile_command() {
  static const CommandSpec spec{
      .path = "reconcile",
      .group = "Environments",
      .summary = "Walk the tree and bring everything in line",
      .details =
          "Runs each resource's policies, then its executor, then its children. A resource that "
          "fails "
          "stops its own subtree only. Nothing is written where nothing has changed. Objects that "
          "are "
          "being deleted are taken away in reverse order.\n\n"
          "With --watch the same loop goes on: each change, drift or due time runs its subtree "
          "again.",
      .arguments = "[KIND/NAME...]",
      .max_words = -1,
      .completes = Completes::resource_names,
      .flags =
          {{"watch", 'w', FlagKind::boolean, "", "keep watching and reconciling until a signal"},
           {"dry-run",
            0,
            FlagKind::optional,
            "none|client|server",
            "show what would be written",
            "none",
            Completes::choices,
            "client",
            {"none", "client", "server"}},
           {"report",
            0,
            FlagKind::text,
            "FORM",
            "text, json, junit or github",
            "text",
            Completes::choices,
            {},
            {"text", "json", "junit", "github"}},
           {"parallelism", 0, FlagKind::number, "N", "resources worked on at once", "16"},
           {"timeout", 0, FlagKind::duration, "DURATION",
            "end after this long with exit code 3; without it, what is not ready is waited for 5m",
            "0s"},
           {"lock-timeout", 0, FlagKind::duration, "DURATION",
            "wait this long for another kubist on the same project; a dead one lets go after 15s", "20s"},
           {"force", 0, FlagKind::boolean, "", "run DeployItems again though nothing has changed"},
           {"abandon", 0, FlagKind::boolean, "",
            "let go of what cannot be reached when deleting, and list what is left behind"},
           {"without-uninstall", 0, FlagKind::boolean, "",
            "delete DeployItems without their OPERATION=DELETE run"}},
      .examples = {{"Bring the whole environment in line", "kubist reconcile"},
                   {"Only one project, and keep it so", "kubist reconcile Project/shop --watch"},
                   {"See what would be written", "kubist reconcile --dry-run=server"},
                   {"In a pipeline", "kubist reconcile --report junit --timeout 10m > report.xml"}},
      .run = run};
  return spec;
}

}  // namespace kubist::cli
