#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "function_files.hpp"
#include "output/document.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::ErrorKind;
using DefinitionPtr = std::shared_ptr<const engine::PolicyDefinition>;

util::Result<std::string> name_of(FunctionSort sort, const Arguments& arguments,
                                  const std::vector<Json>& definitions) {
  if (!arguments.words().empty()) {
    return arguments.words()[0];
  }
  if (definitions.size() == 1) {
    return std::string(data::string_at(definitions[0], {"metadata", "name"}));
  }
  return util::fail(ErrorKind::usage, util::cat("which ", noun(sort), " is to run?"),
                    "Name it, or give --definition with one definition.");
}

// Built-in ones and those of files need no cluster; only another name is looked for there.
util::Result<DefinitionPtr> find_function(FunctionSort sort, Context& context,
                                          const Arguments& arguments,
                                          const executors::Catalog& catalog) {
  KUBIST_TRY(const FunctionFiles files, read_function_files(sort, arguments.list("definition")));
  KUBIST_TRY(const std::string name, name_of(sort, arguments, files.definitions));
  auto found = catalog_of(sort, catalog, files.definitions).find("", name);
  const bool elsewhere = !found && found.error().reason == "UnknownPolicy";
  if (!elsewhere || !files.definitions.empty()) {
    return found;
  }
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const auto objects,
             sort == FunctionSort::executor
                 ? executors::load_executor_definitions(*client, context.stop())
                 : executors::load_policy_definitions(*client, ns, context.stop()));
  return catalog_of(sort, catalog, objects).find(ns, name);
}

util::Result<int> run_one(FunctionSort sort, Context& context, const Arguments& arguments) {
  const std::string file = arguments.text("filename");
  if (file.empty()) {
    return util::fail(ErrorKind::usage, "no input", "Give a recorded ResourceList with -f FILE.");
  }
  KUBIST_TRY(Json input, read_input(file));
  if (input.is_object() && input.contains("input")) {  // a case of `test`
    input = Json(input["input"]);
  }
  KUBIST_TRY(auto local, executors::read_local_config());
  const executors::Catalog catalog(std::move(local));
  KUBIST_TRY(const DefinitionPtr function, find_function(sort, context, arguments, catalog));
  KUBIST_TRY(const auto result, engine::run_recorded({function}, input, context.stop()));
  for (const auto& trace : result.trace) {
    if (!trace.stderr_tail.empty()) {
      context.log().line(trace.stderr_tail);
    }
  }
  KUBIST_CHECK(print_document(context, result.output));
  return k_ok;
}

}  // namespace

CommandSpec policy_run_command() {
  return {
      .path = "policy run",
      .group = "Policies",
      .summary = "Run one policy over a recorded ResourceList and print what comes out",
      .details =
          "The input is a ResourceList (config.kubernetes.io/v1): items, the resource first, and a "
          "functionConfig with parameters, settings, state, metrics and now. Nothing is written. A "
          "name that is neither built in nor in --definition is looked for in the namespace.",
      .arguments = "[NAME]",
      .max_words = 1,
      .flags = {{"filename", 'f', FlagKind::text, "FILE", "the input; - reads standard input", "",
                 Completes::files},
                {"definition", 0, FlagKind::list, "FILE", "a file with policy definitions", "",
                 Completes::files},
                document_flag("json, yaml or jsonpath=TEMPLATE", "yaml")},
      .examples = {{"A built-in policy", "kubist policy run TimedWindow -f input.yaml"},
                   {"A definition before it is applied",
                    "kubist policy run --definition policy.yaml -f input.yaml"}},
      .run = [](Context& context, const Arguments& arguments) {
        return run_one(FunctionSort::policy, context, arguments);
      }};
}

CommandSpec executor_run_command() {
  return {
      .path = "executor run",
      .group = "Policies",
      .summary = "Run one executor over a recorded ResourceList and print the objects",
      .details =
          "The input is a ResourceList (config.kubernetes.io/v1): items, the resource first, and a "
          "functionConfig with parameters, settings, state, target and now. Nothing is written. A "
          "name that is not in --definition is an ExecutorDefinition of the cluster. Built-in "
          "executors are no functions: see what they would do with 'kubist reconcile --dry-run'.",
      .arguments = "[NAME]",
      .max_words = 1,
      .flags = {{"filename", 'f', FlagKind::text, "FILE", "the input; - reads standard input", "",
                 Completes::files},
                {"definition", 0, FlagKind::list, "FILE", "a file with ExecutorDefinitions", "",
                 Completes::files},
                document_flag("json, yaml or jsonpath=TEMPLATE", "yaml")},
      .examples = {{"A definition before it is applied",
                    "kubist executor run --definition executor.yaml -f input.yaml"}},
      .run = [](Context& context, const Arguments& arguments) {
        return run_one(FunctionSort::executor, context, arguments);
      }};
}

}  // namespace kubist::cli
