#include <kubist/apply/diff.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/executors/prepare.hpp>

#include "../apply_input.hpp"
#include "../input.hpp"
#include "../output/document.hpp"
#include "../output/set_report.hpp"
#include "../query/selectors.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

/// Everything but the exit code of an error, which `diff` has of its own.
util::Result<int> diff(Context& context, const Arguments& arguments) {
  apply::Options options;
  options.manager = arguments.text("field-manager");
  KUBIST_TRY(options.default_namespace, context.ns());
  options.enforce_namespace = context.ns_given();
  options.check_fields = true;
  options.take_over_client_side = true;
  options.needs = executors::needed_namespaces;
  KUBIST_CHECK(check_prune(arguments));
  KUBIST_CHECK(take_inventory(arguments, options));
  KUBIST_TRY(auto manifests, read_input(context, arguments));
  KUBIST_CHECK(filter_by_labels(manifests, arguments));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_CHECK(check_input(manifests, client.get(), options.default_namespace, context.stop()));
  const apply::SetDiffs diffs = apply::diff_set(*client, manifests, options, context.stop());
  return print_diffs(context, diffs, manifests);
}

util::Result<int> run_diff(Context& context, const Arguments& arguments) {
  return diff_exit_code(context, diff(context, arguments));
}

}  // namespace

CommandSpec diff_command() {
  return {
      .path = "diff",
      .group = "Day to day",
      .summary = "Show what apply would change",
      .details =
          "The API server computes the outcome in a dry run; what it gives is compared with what "
          "is there. Values of Secrets are masked. With -o, each object that differs has its "
          "outcome, the changed paths and the text. $KUBECTL_EXTERNAL_DIFF names another program "
          "and its flags, which compares two folders of what differs. The exit code is 0 without "
          "differences, 1 with some, and 70 after an error.",
      .arguments = "-f FILE",
      .flags = {filename_flag(),
                recursive_flag(),
                {"selector", 'l', FlagKind::text, "SELECTOR", "only objects with these labels"},
                {"server-side", 0, FlagKind::boolean, "",
                 "accepted for kubectl's sake: it always is"},
                {"field-manager", 0, FlagKind::text, "NAME", "the field manager to compare for",
                 kube::k_default_manager},
                document_flag(),
                {"prune", 0, FlagKind::boolean, "", "show also what apply --prune would delete"},
                {"inventory", 0, FlagKind::text, "NAME", "the inventory of the set"},
                kubectl_flag("concurrency", FlagKind::number),
                kubectl_flag("force-conflicts", FlagKind::boolean)},
      .examples = {{"Compare a folder with the cluster", "kubist diff -f env/"},
                   {"What would be made or changed",
                    "kubist diff -f env/ -o jsonpath='{.objects[*].name}'"}},
      .run = run_diff};
}

}  // namespace kubist::cli
