#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "input.hpp"
#include "output/object_printer.hpp"
#include "query/file_targets.hpp"
#include "query/selectors.hpp"
#include "query/targets.hpp"
#include "query/wait_condition.hpp"

namespace kubist::cli {
namespace {

using util::ErrorKind;

util::Result<apply::WaitForOptions> read_options(const Arguments& arguments) {
  apply::WaitForOptions options;
  for (const std::string& text : arguments.list("for")) {
    KUBIST_TRY(auto condition, parse_wait_condition(text));
    options.conditions.push_back(std::move(condition));
  }
  if (options.conditions.empty()) {
    return util::fail(ErrorKind::usage, "'kubist wait' needs --for CONDITION",
                      "For example --for=condition=Ready.");
  }
  bool deletes = false;
  for (const apply::WaitCondition& condition : options.conditions) {
    deletes = deletes || condition.kind == apply::WaitCondition::Kind::deleted;
  }
  if (deletes && options.conditions.size() > 1) {
    return util::fail(ErrorKind::usage, "--for=delete cannot be joined with other conditions");
  }
  KUBIST_TRY(options.label_selector, label_selector(arguments));
  KUBIST_TRY(options.field_selector, field_selector(arguments));
  const auto timeout = arguments.duration("timeout");
  if (timeout.count() >= 0) {
    options.timeout = timeout;
  }
  return options;
}

util::Result<> check_words(const Arguments& arguments, const apply::WaitForOptions& options) {
  const auto& words = arguments.words();
  const bool named = names_objects(words);
  const bool selected = !options.label_selector.empty() || !options.field_selector.empty() ||
                        arguments.boolean("all");
  if (words.empty() == arguments.list("filename").empty()) {
    return util::fail(ErrorKind::usage,
                      "'kubist wait' needs either TYPE NAME, TYPE/NAME, or -f FILE");
  }
  if (!words.empty() && named == selected) {
    return util::fail(ErrorKind::usage,
                      named ? "names cannot go together with --all, -l or --field-selector"
                            : "a type without a name needs --all, -l or --field-selector");
  }
  return {};
}

util::Result<int> run_wait(Context& context, const Arguments& arguments) {
  KUBIST_TRY(apply::WaitForOptions options, read_options(arguments));
  KUBIST_CHECK(check_words(arguments, options));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const Targets targets,
             arguments.words().empty()
                 ? targets_of_files(context, arguments)
                 : find_targets(*client, arguments.words(),
                                {ns, arguments.boolean("all-namespaces")}, context.stop()));
  options.on_met = [&](const kube::ApiResource& resource, const std::string& name) {
    context.out().write(
        util::cat(object_name(resource.api_version(), resource.kind, name), " condition met\n"));
    context.out().flush();
  };
  KUBIST_CHECK(apply::wait_for(*client, targets.list, options, context.stop()));
  return k_ok;
}

}  // namespace

CommandSpec wait_command() {
  return {
      .path = "wait",
      .group = "Day to day",
      .summary = "Wait until objects meet a condition",
      .details =
          "Watches the objects and ends as soon as all of them meet all conditions of --for, or at "
          "once when one of them never will: a Job that failed, an object that is gone. Exits with "
          "3 on a timeout.",
      .arguments = "TYPE NAME... | TYPE/NAME... | TYPE --all | -f FILE",
      .max_words = -1,
      .completes = Completes::resource_names,
      .flags = {{"for", 0, FlagKind::list, "CONDITION",
                 "condition=TYPE[=VALUE], jsonpath='{PATH}'[=VALUE], delete, create, ready or "
                 "job=finished; may be repeated: all have to hold"},
                {"timeout", 0, FlagKind::duration, "DURATION",
                 "give up after this time; 0 reads once, a negative one waits for ever", "30s"},
                {"all", 0, FlagKind::boolean, "", "all objects of the type"},
                {"all-namespaces", 'A', FlagKind::boolean, "", "look in all namespaces"},
                {"selector", 'l', FlagKind::text, "SELECTOR", "only objects with these labels"},
                {"field-selector", 0, FlagKind::text, "SELECTOR", "only objects with these fields"},
                filename_flag(),
                recursive_flag()},
      .examples = {{"Until a project is ready",
                    "kubist wait --for=condition=Ready project/shop --timeout=5m"},
                   {"Until a Job has finished, or failed", "kubist wait --for=job=finished job/x"},
                   {"Until all pods of an app are gone",
                    "kubist wait --for=delete pods -l app=web"}},
      .run = run_wait};
}

}  // namespace kubist::cli
