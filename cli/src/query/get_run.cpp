#include "get_run.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/deadline.hpp>

#include "file_targets.hpp"

namespace kubist::cli {

util::Result<int> run_get(Context& context, const Arguments& arguments,
                          const std::vector<std::string>& words) {
  KUBIST_TRY(const GetOptions options, read_get_options(arguments, words));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  const GetRun get{*client, context.out(), context.log(), context.stop(), options, ns};
  KUBIST_TRY(const Targets targets,
             options.files.empty()
                 ? find_targets(*client, words, {ns, options.all_namespaces}, context.stop())
                 : targets_of_files(context, arguments));
  if (options.watch || options.watch_only) {
    // For as long as one request may take, as kubectl does.
    const util::Deadline deadline(context.client_options().request_timeout, context.stop());
    GetRun watching = get;
    watching.stop = deadline.token();
    const auto ended = get_watch(watching, targets);
    if (!ended && !deadline.passed()) {
      return util::fail(ended.error());
    }
    return context.stop().stop_requested() ? k_interrupted : k_ok;
  }
  KUBIST_CHECK(options.format.human() ? get_tables(get, targets) : get_objects(get, targets));
  return k_ok;
}

}  // namespace kubist::cli
