#include "get_run.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/deadline.hpp>

#include "../several_contexts.hpp"
#include "file_targets.hpp"

namespace kubist::cli {
namespace {

util::Result<> add_part(Context& context, const std::vector<std::string>& words,
                        const std::string& name, GetRun& run) {
  KUBIST_TRY(auto client, context.client());
  KUBIST_TRY(std::string ns, context.ns());
  KUBIST_TRY(Targets targets,
             run.options.files.empty()
                 ? find_targets(*client, words, {ns, run.options.all_namespaces}, context.stop())
                 : targets_of_files(context, context.arguments()));
  run.parts.push_back({std::move(client), std::move(targets), name, std::move(ns)});
  return {};
}

}  // namespace

util::Result<int> run_get(Context& context, const Arguments& arguments,
                          const std::vector<std::string>& words) {
  KUBIST_TRY(const GetOptions options, read_get_options(arguments, words));
  if (options.contexts) {
    KUBIST_CHECK(check_contexts(options.watch || options.watch_only, options.format));
  }
  GetRun get{context.out(), context.log(), context.stop(), options, {}};
  KUBIST_TRY(get.errors, in_each_context(context, [&](const std::string& name) {
               return add_part(context, words, name, get);
             }));
  if (options.watch || options.watch_only) {
    // For as long as one request may take, as kubectl does.
    const util::Deadline deadline(context.client_options().request_timeout, context.stop());
    GetRun watching = get;
    watching.stop = deadline.token();
    const auto ended = get_watch(watching);
    if (!ended && !deadline.passed()) {
      return util::fail(ended.error());
    }
    return context.stop().stop_requested() ? k_interrupted : k_ok;
  }
  KUBIST_CHECK(options.format.human() ? get_tables(get) : get_objects(get));
  return k_ok;
}

}  // namespace kubist::cli
