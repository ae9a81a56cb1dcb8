#include <kubist/istio/diff.hpp>

#include "../istio_install.hpp"
#include "../output/document.hpp"
#include "../output/set_report.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

util::Result<int> diff(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const istio::Bundle bundle, read_bundle(context, arguments));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const apply::SetDiffs diffs, istio::diff(*client, bundle, context.stop()));
  return print_diffs(context, diffs, bundle.manifests);
}

util::Result<int> run_istio_diff(Context& context, const Arguments& arguments) {
  return diff_exit_code(context, diff(context, arguments));
}

std::vector<Flag> istio_diff_flags() {
  std::vector<Flag> flags = bundle_flags();
  flags.push_back(document_flag());
  return flags;
}

}  // namespace

CommandSpec istio_diff_command() {
  return {
      .path = "istio diff",
      .group = "Istio",
      .summary = "Show what installing or upgrading Istio would change",
      .details =
          "The API server computes the outcome of 'istio install PATH' in a dry run; what it gives "
          "is compared with what is there. What istiod writes into its webhooks (caBundle, "
          "failurePolicy) is not changed by an installation and shows no difference. Objects that "
          "would be deleted are shown too. The exit code is 0 without differences, 1 with some, "
          "and 70 after an error.",
      .arguments = k_bundle_words,
      .max_words = -1,
      .completes = Completes::files,
      .flags = istio_diff_flags(),
      .examples = {{"Look before an upgrade", "kubist istio diff istio.yaml"}},
      .run = run_istio_diff};
}

}  // namespace kubist::cli
