#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>

#include "commands.hpp"
#include "query/file_targets.hpp"
#include "query/get_run.hpp"

namespace kubist::cli {
namespace {

util::Result<int> print_raw(Context& context, const std::string& path) {
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto reply, client->run(kube::raw_get(path), context.stop()));
  context.out().write(reply.body);
  return k_ok;
}

util::Result<int> run(Context& context, const Arguments& arguments) {
  if (arguments.given("raw")) {
    return print_raw(context, arguments.text("raw"));
  }
  KUBIST_TRY(const GetOptions options, read_get_options(arguments));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  const GetRun get{*client, context.out(), context.log(), context.stop(), options, ns};
  KUBIST_TRY(const Targets targets,
             options.files.empty()
                 ? find_targets(*client, arguments.words(), {ns, options.all_namespaces},
                                context.stop())
                 : targets_of_files(context, arguments));
  if (options.watch || options.watch_only) {
    KUBIST_CHECK(get_watch(get, targets));
    return context.stop().stop_requested() ? k_interrupted : k_ok;
  }
  KUBIST_CHECK(options.format.human() ? get_tables(get, targets) : get_objects(get, targets));
  return k_ok;
}

}  // namespace

const CommandSpec& get_command() {
  static const CommandSpec spec{
      .path = "get",
      .group = "Objects",
      .summary = "Print objects of any kind",
      .details =
          "Prints the table that the API server makes of the objects, or the objects themselves "
          "with -o. Lists of any size are printed as they arrive. A watch (-w) goes on when the "
          "server closes it or no longer knows where it stood.",
      .arguments = "TYPE[,TYPE...] [NAME...] | TYPE/NAME... | -f FILE",
      .max_words = -1,
      .completes = Completes::resource_names,
      .flags = get_flags(),
      .examples = {{"All projects", "kubist get projects"},
                   {"Pods with a label, in all namespaces", "kubist get pods -A -l app=web"},
                   {"One object as YAML", "kubist get deployment/web -o yaml"},
                   {"Names and images", "kubist get pods -o "
                                        "custom-columns=NAME:.metadata.name,IMAGE:.spec.containers"
                                        "[*].image"},
                   {"Follow changes", "kubist get virtualclusters -w"}},
      .run = run};
  return spec;
}

}  // namespace kubist::cli
