#include <algorithm>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/case_report.hpp"
#include "output/document.hpp"
#include "output/set_report.hpp"
#include "policy_files.hpp"

namespace kubist::cli {
namespace {

using engine::CaseResult;
using util::cat;

// A case that cannot be run (an unknown policy) has failed; the others go on.
CaseResult run_case(const engine::PolicyCase& test, const engine::PolicyCatalog& catalog,
                    const std::stop_token& stop) {
  auto result = engine::run_policy_case(test, catalog, "", stop);
  if (result) {
    return std::move(*result);
  }
  CaseResult failed;
  failed.name = test.name;
  failed.message = result.error().to_string();
  return failed;
}

util::Result<int> run_policy_test(Context& context, const Arguments& arguments) {
  if (arguments.given("output") && arguments.given("report")) {
    return util::fail(util::ErrorKind::usage, "-o and --report cannot go together",
                      "--report json is what -o json prints.");
  }
  std::vector<std::string> paths = arguments.list("definition");
  paths.insert(paths.end(), arguments.words().begin(), arguments.words().end());
  KUBIST_TRY(const PolicyFiles files, read_policy_files(paths));
  if (files.cases.empty()) {
    return util::fail(util::ErrorKind::invalid, cat("no cases in ", util::join(paths, ", ")),
                      "A case has policy, input, and expected or error.");
  }
  KUBIST_TRY(auto local, executors::read_local_config());
  const executors::Catalog definitions(std::move(local));
  const engine::PolicyCatalog catalog = definitions.build(files.definitions);
  const std::string form = arguments.text("report");
  const bool lines = form == "text" && !arguments.given("output");
  std::vector<CaseResult> results;
  for (const auto& test : files.cases) {
    results.push_back(run_case(test, catalog, context.stop()));
    if (lines) {
      print_case(results.back(), context.out_color(), context.out());
    }
  }
  if (context.stop().stop_requested()) {
    return util::fail(util::ErrorKind::cancelled, "stopped before all cases were run");
  }
  KUBIST_TRY(const bool printed, print_document(context, cases_json(results)));
  if (!printed) {
    print_cases(results, form, context.out());
  }
  const bool all = std::all_of(results.begin(), results.end(),
                               [](const CaseResult& result) { return result.passed; });
  return all ? k_ok : k_error;
}

}  // namespace

CommandSpec policy_test_command() {
  return {
      .path = "policy test",
      .group = "Policies",
      .summary = "Run recorded cases of policies and compare what comes out",
      .details =
          "Reads files, and folders with all that is below them. A document is a PolicyDefinition "
          "or ClusterPolicyDefinition, or a case:\n\n"
          "    name: labels the team\n"
          "    policy: team-label            # or policies: [{name, parameters}]\n"
          "    input: {items: [RESOURCE], functionConfig: {parameters, settings, state, now}}\n"
          "    expected: {items: [{spec: {labels: {team: shop}}}]}   # or error: TEXT\n\n"
          "Maps in expected may leave out keys. No cluster is asked. Exits with 1 when a case "
          "fails.",
      .arguments = "PATH...",
      .min_words = 1,
      .max_words = -1,
      .completes = Completes::files,
      .flags = {{"definition", 0, FlagKind::list, "FILE",
                 "a file with further policy definitions, may be repeated", "", Completes::files},
                document_flag(),
                report_flag()},
      .examples = {{"Test a team's policies", "kubist policy test policies/"},
                   {"For CI", "kubist policy test policies/ --report junit > policies.xml"}},
      .run = run_policy_test};
}

}  // namespace kubist::cli
