#include <algorithm>
#include <memory>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/executors/watch_loop.hpp>
#include <kubist/util/memory.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "controller/endpoint.hpp"
#include "controller/health.hpp"
#include "controller/telemetry.hpp"
#include "output/progress_lines.hpp"
#include "output/run_report.hpp"
#include "session.hpp"

namespace kubist::cli {
namespace {

using executors::Run;
using util::cat;

executors::WatchHooks hooks_of(Context& context, Telemetry& telemetry, Health& health) {
  executors::WatchHooks hooks = log_hooks(context);
  const util::Log& log = context.log();
  hooks.starting = [&telemetry, say = hooks.starting](const auto& run_id, const auto& due) {
    telemetry.starting(due);
    say(run_id, due);
  };
  hooks.finished = [&, warn_of = hooks.finished](const Run& run) {
    telemetry.finished(run);
    warn_of(run);
    if (run.report.summary.nodes > 0) {
      log.line(cat("run ", run.report.run.id, ": ", summary_line(run.report)));
    }
  };
  hooks.trouble = [&](const util::Error& error) { log.error(error.to_string()); };
  hooks.turned = [&](const executors::LoopState& state) {
    telemetry.turned(state);
    health.turned(state.planned);
  };
  return hooks;
}

util::Result<> control(Context& context, const Arguments& arguments) {
  const auto telemetry = std::make_shared<Telemetry>();  // requests may outlive this
  context.on_exchange([telemetry](std::string_view method, std::string_view url, int status) {
    telemetry->requested(method, url, status);
  });
  KUBIST_TRY(const auto client, context.client());
  telemetry->home(client->server());
  KUBIST_TRY(const std::string ns, context.ns());
  executors::Replica replica(client, {ns, process_identity(), [&context](const std::string& line) {
                                        context.log().line(line);
                                      }});
  Health health(replica, context.stop());
  KUBIST_CHECK(replica.start(context.stop()));
  std::unique_ptr<Endpoint> endpoint;
  if (const std::string address = arguments.text("bind-address"); address != "0") {
    KUBIST_TRY(
        endpoint,
        Endpoint::listen(
            address,
            {{"/healthz", [&] { return health.live(); }},
             {"/readyz", [&] { return health.ready(); }},
             {"/metrics", [&] {
                return Page{200, telemetry->text(), "text/plain; version=0.0.4; charset=utf-8"};
              }}}));
    context.log().line(cat("serving /healthz, /readyz and /metrics on ", endpoint->address()));
  }
  context.log().line(cat("replica ", replica.identity(), " has Lease ", replica.term()->lease()));
  KUBIST_TRY(const auto session, open_session(context, &replica));
  executors::ReconcileOptions options;
  options.parallelism = static_cast<std::size_t>(std::max(1LL, arguments.number("parallelism")));
  options.item_parallelism = arguments.given("parallelism") ? options.parallelism : 0;
  options.outside.all = arguments.boolean("all-namespaces");
  ProgressLines observer(context.log());
  return executors::watch_and_reconcile(*session, options, observer,
                                        hooks_of(context, *telemetry, health), context.stop());
}

util::Result<int> run_controller(Context& context, const Arguments& arguments) {
  util::expect_rest();
  context.log_as(arguments.text("log-format") == "json" ? util::LogForm::json
                                                        : util::LogForm::text);
  const auto done = control(context, arguments);
  if (done || context.stop().stop_requested()) {
    context.log().line("ended: its projects are free");
    return k_ok;
  }
  context.log().error(done.error().to_string());
  return exit_code(done.error().kind);
}

}  // namespace

CommandSpec controller_command() {
  return {
      .path = "controller",
      .group = "Start here",
      .summary = "Keep everything in line, as one of any number of replicas",
      .details =
          "Does what 'kubist reconcile --watch' does, for all projects, until SIGTERM or SIGINT; "
          "then it lets writes in flight finish, frees its projects and ends with 0.\n\n"
          "Replicas share the projects. Each renews one Lease, in the namespace of --namespace or "
          "of the context, and the Lease of a project names the replica that acts on it. "
          "A replica that joins takes over its share when nothing is at work there. The projects "
          "of one that ends are taken at once, those of one that is killed after 15s. All replicas "
          "need the same namespace.\n\n"
          "With --all-namespaces they also share the namespaces with DeployItems that no Project "
          "owns. What such an item asks for is asked as its ServiceAccount, by default 'default', "
          "which an administrator lets the controller impersonate; an item of any other account "
          "fails and says which right is missing.\n\n"
          "It serves /healthz, /readyz and /metrics (for Prometheus) by plain HTTP.",
      .flags = {{"bind-address", 0, FlagKind::text, "HOST:PORT",
                 "where probes and metrics are served; without a host on all addresses, port 0 for "
                 "any, 0 for none at all",
                 ":8080"},
                choice_flag("log-format", 0, "FORM",
                            "form of log lines: text, or one JSON object a line", "text",
                            {"text", "json"}),
                {"all-namespaces", 'A', FlagKind::boolean, "",
                 "also DeployItems of namespaces that no Project owns"},
                {"parallelism", 0, FlagKind::number, "N",
                 "resources that a run works on at once; where it is given, also the items of an "
                 "Execution, which otherwise run as soon as they can",
                 "16"}},
      .examples = {{"In a pod, by its ServiceAccount", "kubist controller --log-format json"},
                   {"By hand, beside others",
                    "kubist controller -n kubist-system --bind-address 127.0.0.1:0"}},
      .run = run_controller};
}

}  // namespace kubist::cli
