#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/deployers/config_problems.hpp>
#include <kubist/traffic/route.hpp>
#include <kubist/util/text.hpp>

#include "../input.hpp"
#include "../jsonnet_checks.hpp"
#include "../output/set_documents.hpp"
#include "../report/reports.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

/// What would be refused only when its turn comes: by deployers, of routes, and Jsonnet.
util::Result<> check_details(const std::vector<resources::Manifest>& manifests,
                             const std::stop_token& stop) {
  std::vector<util::Error> errors = jsonnet_problems(manifests, stop);
  for (const resources::Manifest& manifest : manifests) {
    for (auto& [pointer, error] : deployers::config_problems(manifest.object, {})) {
      error.pos = manifest.position(pointer);
      errors.push_back(std::move(error));
    }
    for (auto& [pointer, error] : traffic::route_faults(manifest.object)) {
      error.pos = manifest.position(pointer);
      errors.push_back(std::move(error));
    }
  }
  if (!errors.empty()) {
    return util::fail(data::combine_errors(std::move(errors), "the input"));
  }
  return {};
}

util::Result<int> run_validate(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto manifests, read_input(context, arguments));
  KUBIST_CHECK(check_input(manifests, nullptr, arguments.text("namespace"), context.stop()));
  KUBIST_CHECK(check_details(manifests, context.stop()));
  const std::string text = util::cat(
      manifests.size(), manifests.size() == 1 ? " object is" : " objects are", " valid\n");
  context.out().write(context.reports().plain() ? text : "");
  apply::Report report;
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    const resources::ObjectView view(manifests[i].object);
    report.results.push_back({.index = i,
                              .ref = view.ref(),
                              .api_version = std::string(view.api_version()),
                              .outcome = apply::Outcome::valid});
  }
  context.reports().deliver(set_report(report, manifests, text), context.out());
  return k_ok;
}

}  // namespace

CommandSpec validate_command() {
  return {
      .path = "validate",
      .group = "Day to day",
      .summary = "Check files without a cluster",
      .details =
          "kubist's objects are checked against their schemas and rules, for references and cycles "
          "across all files. The configuration of items is checked as their deployers do it, and "
          "the parameters of policies as the policies do it. Jsonnet must parse and give a "
          "function. Every problem is printed with file, line and column. Of a project that is in "
          "the input, what others refer to has to be there, too. Objects of other kinds are only "
          "read.",
      .arguments = "-f FILE",
      .flags = {filename_flag(), recursive_flag(), report_flag()},
      .examples = {{"Check a folder in CI", "kubist validate -R -f env/"},
                   {"The same, with a report for code scanning",
                    "kubist validate -R -f env/ --report sarif=kubist.sarif"}},
      .run = run_validate};
}

}  // namespace kubist::cli
