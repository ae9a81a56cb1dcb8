#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/executors/connections.hpp>
#include <kubist/setup/register.hpp>
#include <kubist/util/text.hpp>

#include "../cluster_ends.hpp"
#include "../dry_run.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

/// As a run connects: the Secret's server is one that the project may name.
util::Result<setup::ConnectTo> connect_as_run(Context& context, const ClusterEnds& ends,
                                              const std::string& name) {
  KUBIST_TRY(const auto allowed, executors::allowed_servers(*ends.home, ends.ns, context.stop()));
  const auto connections = std::make_shared<executors::Connections>(
      ends.home, "", context.client_options_of(ends.home_context));
  const std::string called = util::cat("kubeconfig of Cluster ", ends.ns, '/', name);
  return [=, stop = context.stop()](kube::ClusterAccess access) {
    return connections->client_by(std::move(access), allowed, called, stop);
  };
}

util::Result<int> run_cluster_rotate(Context& context, const Arguments& arguments) {
  KUBIST_CHECK(kube::check_name("name of a Cluster", arguments.words()[0]));
  setup::RotateOptions options;
  KUBIST_TRY(options.dry_run, dry_run_of(arguments));
  KUBIST_TRY(const ClusterEnds ends, cluster_ends(context));
  options.ns = ends.ns;
  options.name = arguments.words()[0];
  options.target = ends.target;
  options.timeout = arguments.duration("timeout");
  options.access = ends.access;
  options.connect = ends.connect;
  if (!options.target) {
    KUBIST_TRY(options.connect, connect_as_run(context, ends, options.name));
  }
  options.step = [&](const std::string& line) {
    context.out().write(util::cat(line, dry_run_suffix(options.dry_run), '\n'));
    context.out().flush();
  };
  KUBIST_CHECK(setup::rotate_token(*ends.home, options, context.stop()));
  return k_ok;
}

}  // namespace

CommandSpec cluster_rotate_command() {
  return {
      .path = "cluster rotate",
      .group = "Clusters",
      .summary = "Give a Cluster another token, and end the one before",
      .details =
          "Makes a new token on the target, tries it, writes it into the Secret on the home "
          "cluster, and deletes the token before it. Each step is a line. A step that fails leaves "
          "the Cluster with a token that works, and the next run goes on.\n\n"
          "It works with the Cluster's own credentials, or with those of --context, which names a "
          "context of the same cluster. With --context the new kubeconfig has the server of that "
          "context. Without it, the Secret's server must be one that the project may name.\n\n"
          "It rotates only what 'kubist cluster add' made. The ServiceAccount there must have the "
          "marks of this project.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .flags = {home_context_flag(),
                dry_run_flag("write nothing: client or server"),
                {"timeout", 0, FlagKind::duration, "DURATION",
                 "how long to wait for the token; 0 means no limit", "60s"}},
      .examples = {{"With the Cluster's own rights", "kubist cluster rotate eu -n shop"},
                   {"With those of a context",
                    "kubist cluster rotate eu -n shop --context prod-eu"}},
      .run = run_cluster_rotate};
}

}  // namespace kubist::cli
