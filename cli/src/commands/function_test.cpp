#include <algorithm>
#include <chrono>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/util/path_watch.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "function_files.hpp"
#include "output/case_report.hpp"
#include "output/document.hpp"
#include "report/reports.hpp"

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
  failed.pos = test.pos;
  failed.message = result.error().to_string();
  return failed;
}

util::Result<int> run_once(FunctionSort sort, Context& context, const Arguments& arguments,
                           const std::vector<std::string>& paths) {
  Reports& reports = context.reports();
  if (arguments.given("output") && !reports.in_place().empty()) {
    return util::fail(util::ErrorKind::usage, "-o and --report cannot go together",
                      "--report json is what -o json prints; --report FORMAT=FILE goes beside it.");
  }
  KUBIST_TRY(const FunctionFiles files, read_function_files(sort, paths));
  if (files.cases.empty()) {
    return util::fail(util::ErrorKind::invalid,
                      cat("no cases of ", noun(sort), " in ", util::join(paths, ", ")),
                      cat("A case has ", noun(sort), ", input, and expected or error."));
  }
  KUBIST_TRY(auto local, executors::read_local_config());
  const executors::Catalog definitions(std::move(local));
  const engine::PolicyCatalog catalog = catalog_of(sort, definitions, files.definitions);
  const bool lines = reports.plain() && !arguments.given("output");
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
  KUBIST_CHECK(print_document(context, cases_json(results)));
  context.out().write(lines ? case_counts(results) : "");
  reports.deliver(case_report(results, noun(sort)), context.out());
  const bool all = std::all_of(results.begin(), results.end(),
                               [](const CaseResult& result) { return result.passed; });
  return all ? k_ok : k_error;
}

/// Once, and again after each change of the files, until a signal. What cannot be read is told, and
/// read again after the next change.
util::Result<int> run_watching(FunctionSort sort, Context& context, const Arguments& arguments,
                               const std::vector<std::string>& paths) {
  constexpr std::chrono::milliseconds k_quiet{100};
  KUBIST_TRY(auto files, util::PathWatch::start({paths.begin(), paths.end()}, true));
  for (;;) {
    if (const auto done = run_once(sort, context, arguments, paths);
        !done && !context.stop().stop_requested()) {
      context.log().error(done.error().to_string());
    }
    context.out().flush();
    KUBIST_TRY(const bool changed, files.wait(k_quiet, context.stop()));
    if (!changed || context.out().closed()) {
      return k_interrupted;
    }
    context.out().write("\n");
  }
}

util::Result<int> run_tests(FunctionSort sort, Context& context, const Arguments& arguments) {
  std::vector<std::string> paths = arguments.list("definition");
  paths.insert(paths.end(), arguments.words().begin(), arguments.words().end());
  return arguments.boolean("watch") ? run_watching(sort, context, arguments, paths)
                                    : run_once(sort, context, arguments, paths);
}

Flag watch_flag() {
  return {"watch", 'w', FlagKind::boolean, "", "run them again when a file changes"};
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
          "fails.\n\n"
          "Instead of runtime.jsonnet.source a definition in a file may name a file beside it, "
          "sourceFile: team.jsonnet; 'kubist apply' and 'validate' take that, too. A policy that "
          "makes a spec which its kind does not take fails as it does on a cluster.",
      .arguments = "PATH...",
      .min_words = 1,
      .max_words = -1,
      .completes = Completes::files,
      .flags = {{"definition", 0, FlagKind::list, "FILE",
                 "a file with further policy definitions, may be repeated", "", Completes::files},
                watch_flag(),
                document_flag(),
                report_flag()},
      .examples = {{"Test a team's policies", "kubist policy test policies/"},
                   {"While you write them", "kubist policy test policies/ --watch"},
                   {"For CI", "kubist policy test policies/ --report junit=policies.xml"}},
      .run = [](Context& context, const Arguments& arguments) {
        return run_tests(FunctionSort::policy, context, arguments);
      }};
}

CommandSpec executor_test_command() {
  return {
      .path = "executor test",
      .group = "Policies",
      .summary = "Run recorded cases of executors and compare the objects that they return",
      .details =
          "Reads files, and folders with all that is below them. A document is an "
          "ExecutorDefinition, or a case:\n\n"
          "    name: one ConfigMap a team\n"
          "    executor: {name: teams, parameters: {teams: [a]}}\n"
          "    input: {items: [RESOURCE], functionConfig: {target: {namespace: shop}}}\n"
          "    expected: {items: [{kind: ConfigMap, metadata: {name: a}}]}   # or error: TEXT\n\n"
          "Of the resource itself items of expected has nothing. Maps in expected may leave out "
          "keys. No cluster is asked, so whether an object may be made is not checked. Exits with "
          "1 when a case fails.",
      .arguments = "PATH...",
      .min_words = 1,
      .max_words = -1,
      .completes = Completes::files,
      .flags = {{"definition", 0, FlagKind::list, "FILE",
                 "a file with further ExecutorDefinitions, may be repeated", "", Completes::files},
                watch_flag(),
                document_flag(),
                report_flag()},
      .examples = {{"Test the platform's executors", "kubist executor test executors/"},
                   {"For CI", "kubist executor test executors/ --report junit=executors.xml"}},
      .run = [](Context& context, const Arguments& arguments) {
        return run_tests(FunctionSort::executor, context, arguments);
      }};
}

}  // namespace kubist::cli
