#include <fstream>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/state/agent.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"

// What runs beside the workload of a DeployItem's pod. Not for people, so not in the help.
namespace kubist::cli {
namespace {

const Flag k_data_flag{"data",           0, FlagKind::text, "FOLDER", "where the pod's folders are",
                       state::k_data_dir};

/// Kubernetes shows what a container wrote there as the message of its end (4096 bytes at most).
util::Error tell_kubelet(util::Error error) {
  constexpr std::size_t k_limit = 4000;
  std::ofstream("/dev/termination-log") << error.to_string().substr(0, k_limit);
  return error;
}

util::Result<int> run_restore(Context& context, const Arguments& arguments) {
  state::RestoreOptions options;
  const std::filesystem::path data = arguments.text("data");
  options.given = data / "given";
  options.kept = data / "kept";
  options.in = data / "in";
  options.out = data / "out";
  options.tini = arguments.text("tini");
  options.given_sha256 = arguments.text("given-sha256");
  options.state_generation = arguments.number("state-generation");
  options.state_secret = arguments.text("state-secret");
  if (const auto done = state::restore(options, context.stop()); !done) {
    return util::fail(tell_kubelet(done.error()));
  }
  return k_ok;
}

util::Result<int> run_collect(Context& context, const Arguments& arguments) {
  state::CollectOptions options;
  options.job = arguments.text("job");
  options.out = std::filesystem::path(arguments.text("data")) / "out";
  options.ns = arguments.text("pod-namespace");
  options.export_secret = arguments.text("export-secret");
  options.state_secret = arguments.text("state-secret");
  options.state_limit = static_cast<std::size_t>(arguments.number("state-limit"));
  options.schema = arguments.text("schema");
  // A native sidecar gets SIGTERM once the containers beside it have ended (KEP-753). What it does
  // then is its work, so the requests are not stopped by it.
  while (util::sleep_for(std::chrono::hours(24), context.stop())) {
  }
  KUBIST_TRY(const auto client, context.client());
  const auto mark = state::collect(*client, options);
  if (!mark) {
    return util::fail(tell_kubelet(mark.error()));
  }
  context.out().write(state::to_text(*mark) + "\n");
  return k_ok;
}

}  // namespace

CommandSpec agent_restore_command() {
  return {.path = "agent restore",
          .group = "Other commands",
          .summary = "Lay out imports and state before a workload",
          .flags = {{"given-sha256", 0, FlagKind::text, "HASH", "what the mounted inputs must be"},
                    {"state-generation", 0, FlagKind::number, "N",
                     "what the mounted state must be at least", "0"},
                    {"state-secret", 0, FlagKind::text, "NAME", "whose mount that is"},
                    k_data_flag,
                    {"tini", 0, FlagKind::text, "FILE", "the init process to copy for a script"}},
          .run = run_restore,
          .hidden = true};
}

CommandSpec agent_collect_command() {
  return {.path = "agent collect",
          .group = "Other commands",
          .summary = "Wait for SIGTERM, then save exports and state of a workload",
          .flags = {{"job", 0, FlagKind::text, "ID", "the job that this pod runs"},
                    {"pod-namespace", 0, FlagKind::text, "NAMESPACE", "where the Secrets are"},
                    {"export-secret", 0, FlagKind::text, "NAME", "where exports go"},
                    {"state-secret", 0, FlagKind::text, "NAME", "where state goes"},
                    {"state-limit", 0, FlagKind::number, "BYTES", "its largest size", "921600"},
                    k_data_flag,
                    {"schema", 0, FlagKind::text, "FILE", "the schema of the exports"}},
          .run = run_collect,
          .hidden = true};
}

}  // namespace kubist::cli
