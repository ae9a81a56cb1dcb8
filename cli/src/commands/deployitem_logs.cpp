#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/deployers/logs.hpp>
#include <kubist/executors/connections.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"

namespace kubist::cli {
namespace {

/// Which of the kept runs: 0 is the last.
util::Result<std::size_t> runs_back(const Arguments& arguments) {
  if (arguments.given("back")) {
    if (arguments.given("previous")) {
      return util::fail(util::ErrorKind::usage, "--previous and --back cannot go together",
                        "--previous is --back 1.");
    }
    const long long back = arguments.number("back");
    constexpr auto k_most = static_cast<long long>(deployers::k_kept_logs) - 1;
    if (back < 0 || back > k_most) {
      return util::fail(
          util::ErrorKind::usage, util::cat("--back must be from 0 to ", k_most, ", not ", back),
          util::cat("The logs of the last ", deployers::k_kept_logs, " runs are kept."));
    }
    return static_cast<std::size_t>(back);
  }
  return arguments.boolean("previous") ? std::size_t{1} : std::size_t{0};
}

util::Result<int> run_deployitem_logs(Context& context, const Arguments& arguments) {
  deployers::LogRequest request;
  KUBIST_TRY(request.previous, runs_back(arguments));
  KUBIST_TRY(const auto home, context.client());
  KUBIST_TRY(request.ns, context.ns());
  request.item = arguments.words()[0];
  request.follow = arguments.boolean("follow");
  request.all_containers = arguments.boolean("all-containers");
  request.timestamps = arguments.boolean("timestamps");
  if (arguments.given("since")) {
    request.since_seconds = std::max<std::int64_t>(
        1, std::chrono::duration_cast<std::chrono::seconds>(arguments.duration("since")).count());
  }
  if (const long long lines = arguments.number("tail"); lines >= 0) {
    request.tail_lines = lines;
  }
  const kube::ApiResource cluster_resource =
      executors::resource_of(*resources::find_kind(resources::k_kubist_group, "Cluster"));
  executors::Connections connections(home, "", context.client_options());
  request.connect = [&](const std::string& name) -> util::Result<std::shared_ptr<kube::Client>> {
    KUBIST_TRY(const data::Json cluster,
               home->json(kube::get(cluster_resource, request.ns, name), context.stop()));
    KUBIST_TRY(const auto allowed, executors::allowed_servers(*home, request.ns, context.stop()));
    KUBIST_TRY(const auto reached, connections.connect(cluster, allowed, false, context.stop()));
    return reached->client;
  };
  KUBIST_CHECK(deployers::read_item_log(
      home, request,
      [&](std::string_view line) {
        context.out().write(util::cat(line, "\n"));
        if (request.follow) {
          context.out().flush();
        }
        return !context.out().closed();
      },
      context.stop()));
  return k_ok;
}

}  // namespace

CommandSpec deployitem_logs_command() {
  return {
      .path = "deployitem logs",
      .group = "Day to day",
      .summary = "Print what the workload of a DeployItem wrote",
      .details =
          "While its pod runs the log is the pod's own. After that it is the tail that was kept "
          "(64 KiB of each of the last three runs); that has no times, so that of --since and "
          "--timestamps nothing is seen. In both, values of the item's imports and of Secrets that "
          "it names are replaced by ***; who may not read these Secrets is not shown the log. On a "
          "terminal, control characters other than colours are shown as \\xNN.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .completes = Completes::deploy_items,
      .flags = {{"follow", 'f', FlagKind::boolean, "", "go on until the run ends"},
                {"all-containers", 0, FlagKind::boolean, "",
                 "of the pod: what the agents beside the workload wrote, too"},
                {"since", 0, FlagKind::duration, "DURATION", "of the pod: only what is not older",
                 ""},
                {"tail", 0, FlagKind::number, "N", "only the last N lines; -1 means all", "-1"},
                {"timestamps", 0, FlagKind::boolean, "", "of the pod: each line with its time"},
                {"previous", 'p', FlagKind::boolean, "", "of the run before, from what is kept"},
                {"back", 0, FlagKind::number, "N",
                 "of the run N runs before the last, from what is kept: 0, 1 or 2", "0"}},
      .examples = {{"The last run", "kubist deployitem logs hello-greet -n quickstart"},
                   {"The run before", "kubist deployitem logs -p hello-greet -n quickstart"},
                   {"Follow the run that has begun", "kubist deployitem logs -f hello-greet"}},
      .run = run_deployitem_logs};
}

}  // namespace kubist::cli
