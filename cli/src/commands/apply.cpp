#include <kubist/apply/set.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/resources/selector.hpp>
#include <kubist/util/text.hpp>

#include "../apply_input.hpp"
#include "../dry_run.hpp"
#include "../input.hpp"
#include "../output/set_report.hpp"
#include "../query/selectors.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;

util::Result<apply::Options> options_of(Context& context, const Arguments& arguments) {
  KUBIST_CHECK(check_prune(arguments));
  KUBIST_TRY(auto options, apply_options(context, arguments));
  options.wait = arguments.boolean("wait");
  options.timeout = arguments.duration("timeout");
  return options;
}

util::Result<int> run_apply(Context& context, const Arguments& arguments) {
  KUBIST_CHECK(check_detailed_exitcode(arguments));
  KUBIST_TRY(const auto format, set_format(arguments, context.reports()));
  KUBIST_TRY(auto options, options_of(context, arguments));
  KUBIST_TRY(auto manifests, read_input(context, arguments));
  KUBIST_CHECK(filter_by_labels(manifests, arguments));
  if (manifests.empty()) {
    return util::fail(ErrorKind::invalid, "no objects passed to apply",
                      cat("Nothing in the input has the labels ", arguments.text("selector"), "."));
  }
  options.keep_objects = format == SetFormat::objects;
  SetPrinter printer(context, format, std::string(dry_run_suffix(options.dry_run)), manifests);
  options.on_result = [&](const apply::ObjectResult& result) { printer.result(result); };
  KUBIST_TRY(const apply::Report report, apply_manifests(context, options, manifests));
  KUBIST_TRY(const int code, printer.finish(report));
  return detailed_exit_code(arguments, code, changes_objects(report));
}

std::vector<Flag> flags() {
  std::vector<Flag> all = apply_flags();
  const std::vector<Flag> own{
      {"selector", 'l', FlagKind::text, "SELECTOR", "only objects with these labels"},
      {"server-side", 0, FlagKind::boolean, "", "accepted for kubectl's sake: it always is"},
      {"wait", 0, FlagKind::boolean, "",
       "wait until every object is ready, without --timeout as long as it takes"},
      {"timeout", 0, FlagKind::duration, "DURATION",
       "how long to wait, then end with exit code 3; 0 means no limit", "0s"},
      detailed_exitcode_flag(),
      set_output_flag(),
      report_flag(),
      kubectl_flag("overwrite", FlagKind::boolean),
      kubectl_flag("openapi-patch", FlagKind::boolean)};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

}  // namespace

CommandSpec apply_command() {
  return {
      .path = "apply",
      .group = "Start here",
      .summary = "Make objects as files say, by server-side apply",
      .details =
          "Namespaces and definitions go first, custom resources wait for their definition. "
          "Objects that are as the input says are not written at all. A conflict with another "
          "field manager leaves the object as it is and shows both values (exit code 6).\n\n"
          "With --inventory NAME, a ConfigMap of that name remembers what was applied; --prune "
          "then deletes what is in it and no longer in the input. There is no default name: every "
          "set needs its own.",
      .arguments = "-f FILE",
      .flags = flags(),
      .examples = {{"Apply a folder and wait until all is ready", "kubist apply -f env/ --wait"},
                   {"See what would change", "kubist apply -f env/ --dry-run=server"},
                   {"Fail a CI job when something would change",
                    "kubist apply -f env/ --dry-run=server --detailed-exitcode"},
                   {"The same, with a report for CI beside the output",
                    "kubist apply -f env/ --report junit=apply.xml --report github=-"},
                   {"Remove what left the folder", "kubist apply -f env/ --inventory env --prune"}},
      .run = run_apply};
}

}  // namespace kubist::cli
