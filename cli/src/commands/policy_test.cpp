#include <algorithm>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/format.hpp"
#include "output/tree_lines.hpp"
#include "policy_files.hpp"

namespace kubist::cli {
namespace {

using data::Json;
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

void print_result(const CaseResult& result, bool color, Sink& out) {
  constexpr int k_green = 32;
  constexpr int k_red = 31;
  out.write(cat(result.passed ? paint("PASS", k_green, color) : paint("FAIL", k_red, color), "  ",
                util::printable(result.name), '\n'));
  if (!result.passed && result.differences.empty()) {
    out.write(cat("  ", util::printable(result.message), '\n'));
  }
  for (const auto& difference : result.differences) {
    const std::string where = difference.pointer.empty() ? "/" : difference.pointer;
    const std::string expected = cat("    - ", data::to_json(difference.expected));
    const std::string actual = cat("    + ", data::to_json(difference.actual));
    out.write(cat("  ", util::printable(where), '\n',
                  paint(util::printable(expected), k_red, color), '\n',
                  paint(util::printable(actual), k_green, color), '\n'));
  }
  for (const auto& trace : result.trace) {
    if (!result.passed && !trace.stderr_tail.empty()) {
      out.write(cat("  ", trace.name, " printed:\n", util::printable(trace.stderr_tail), '\n'));
    }
  }
}

Json to_json(const CaseResult& result) {
  Json json{{"name", result.name}, {"passed", result.passed}};
  if (!result.message.empty()) {
    json["message"] = result.message;
  }
  for (const auto& difference : result.differences) {
    json["differences"].push_back({{"pointer", difference.pointer},
                                   {"expected", difference.expected},
                                   {"actual", difference.actual}});
  }
  return json;
}

util::Result<int> run(Context& context, const Arguments& arguments) {
  std::vector<std::string> paths = arguments.list("definition");
  paths.insert(paths.end(), arguments.words().begin(), arguments.words().end());
  KUBIST_TRY(const PolicyFiles files, read_policy_files(paths));
  if (files.cases.empty()) {
    return util::fail(util::ErrorKind::invalid, cat("no cases in ", util::join(paths, ", ")),
                      "A case has policy, input, and expected or error.");
  }
  const executors::Catalog definitions;
  const engine::PolicyCatalog catalog = definitions.build(files.definitions);
  const bool json = arguments.text("output") == "json";
  Json report{{"cases", Json::array()}};
  std::size_t failed = 0;
  for (const auto& test : files.cases) {
    const CaseResult result = run_case(test, catalog, context.stop());
    failed += result.passed ? 0 : 1;
    if (json) {
      report["cases"].push_back(to_json(result));
    } else {
      print_result(result, context.out_color(), context.out());
    }
  }
  if (context.stop().stop_requested()) {
    return util::fail(util::ErrorKind::cancelled, "stopped before all cases were run");
  }
  if (json) {
    report["passed"] = files.cases.size() - failed;
    report["failed"] = failed;
    context.out().write(data::to_kubectl_json(report));
  } else {
    context.out().write(cat(files.cases.size() - failed, " passed, ", failed, " failed\n"));
  }
  return failed == 0 ? k_ok : k_error;
}

}  // namespace

const CommandSpec& policy_test_command() {
  static const CommandSpec spec{
      .path = "policy test",
      .group = "Policies",
      .summary = "Run recorded cases of policies and compare what comes out",
      .details =
          "Reads files, and folders with all that is below them. A document is a PolicyDefinition "
          "or "
          "ClusterPolicyDefinition, or a case:\n\n"
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
                json_output_flag("json, or nothing for lines")},
      .examples = {{"Test a team's policies", "kubist policy test policies/"}},
      .needs = Needs::nothing,
      .run = run};
  return spec;
}

}  // namespace kubist::cli
