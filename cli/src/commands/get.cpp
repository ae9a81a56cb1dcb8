#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>

#include "commands.hpp"
#include "query/get_applications.hpp"
#include "query/get_run.hpp"

namespace kubist::cli {
namespace {

util::Result<int> print_raw(Context& context, const std::string& path) {
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto reply, client->run(kube::raw_get(path), context.stop()));
  context.out().write(reply.body);
  return k_ok;
}

util::Result<int> run_any_get(Context& context, const Arguments& arguments) {
  const bool own = arguments.given("raw") || asks_for_applications(arguments.words());
  if (own && arguments.given("contexts")) {
    return util::fail(util::ErrorKind::usage, "--contexts takes kinds of the servers",
                      "Ask for --raw and for applications with --context NAME.");
  }
  if (arguments.given("raw")) {
    return print_raw(context, arguments.text("raw"));
  }
  return asks_for_applications(arguments.words())
             ? get_applications(context, arguments, arguments.words())
             : run_get(context, arguments, arguments.words());
}

std::vector<Flag> flags() {
  std::vector<Flag> all = get_flags();
  all.push_back(
      {"raw", 0, FlagKind::text, "PATH", "GET this path of the server and print what comes"});
  return all;
}

}  // namespace

CommandSpec get_command() {
  return {
      .path = "get",
      .group = "Objects of any kind, as kubectl",
      .summary = "Print objects of any kind",
      .details =
          "Prints the table that the API server makes of the objects, or the objects themselves "
          "with -o. Lists of any size are printed as they arrive. A watch (-w) goes on when the "
          "server closes it or no longer knows where it stood.\n\n"
          "applications are no kind of the server: they are the Deployments, grouped by label, "
          "that runs have found in virtual clusters, with readiness and their share of the routes. "
          "Where the server has a kind of that name, its full name (applications.GROUP) prints it.",
      .arguments = "TYPE[,TYPE...] [NAME...] | TYPE/NAME... | -f FILE",
      .max_words = -1,
      .completes = Completes::resource_names,
      .flags = flags(),
      .examples = {{"All projects", "kubist get projects"},
                   {"Pods with a label, in all namespaces", "kubist get pods -A -l app=web"},
                   {"One object as YAML", "kubist get deployment/web -o yaml"},
                   {"Names and images",
                    "kubist get pods -o "
                    "custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image"},
                   {"What runs where, and which share it gets", "kubist get applications"},
                   {"Pods of two clusters", "kubist get pods --contexts prod,dev"},
                   {"Follow changes", "kubist get virtualclusters -w"}},
      .run = run_any_get};
}

}  // namespace kubist::cli
