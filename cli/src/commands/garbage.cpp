#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "../dry_run.hpp"
#include "../session.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::cat;

util::Result<int> run_garbage(Context& context, const Arguments& arguments) {
  executors::Session::GarbageOptions options;
  KUBIST_TRY(options.dry_run, dry_run_of(arguments));
  KUBIST_TRY(const auto session, open_session(context));
  if (!arguments.boolean("all-namespaces")) {
    KUBIST_TRY(options.ns, context.ns());
  }
  options.lock_timeout = arguments.duration("lock-timeout");
  options.on_result = [&](const executors::GarbageResult& result) {
    const std::string where =
        cat(result.ns, "/", result.name, result.cluster.empty() ? "" : cat(" on ", result.cluster),
            " of DeployItem ", result.item);
    if (result.removed) {
      context.out().write(cat(util::lower(result.kind), " ", where, " deleted",
                              dry_run_suffix(options.dry_run), "\n"));
    } else {
      context.log().line(cat(util::lower(result.kind), " ", where, " stays: ", result.why));
    }
  };
  bool trouble = false;
  options.on_trouble = [&](const util::Error& error) {
    trouble = true;
    context.log().line(error.to_string());
  };
  KUBIST_CHECK(session->collect_garbage(options, context.stop()));
  return trouble ? k_error : k_ok;
}

}  // namespace

CommandSpec garbage_command() {
  return {.path = "garbage",
          .group = "Day to day",
          .summary = "Remove what DeployItems that are gone left where their pods ran",
          .details =
              "Looks into the namespaces of VirtualClusters for pods, accounts and Secrets of "
              "DeployItems whose finalizer somebody took away. An item counts as gone only when "
              "the API server says so; nothing is removed beside a pod that still runs, or in a "
              "namespace that is not kubist's own.",
          .flags = {{"all-namespaces", 'A', FlagKind::boolean, "", "of all projects"},
                    dry_run_flag("delete nothing: client or server"),
                    {"lock-timeout", 0, FlagKind::duration, "DURATION",
                     "wait this long for another kubist on the same project", "20s"}},
          .examples = {{"What would go", "kubist garbage -A --dry-run=client"}},
          .run = run_garbage};
}

}  // namespace kubist::cli
