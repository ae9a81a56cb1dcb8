#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "function_files.hpp"
#include "policy_templates.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;

util::Result<int> run_policy_init(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const std::string name, function_name(arguments));
  const std::string word = arguments.text("kind");
  const resources::Kind* kind = resources::find_kind_by_word(word);
  if (kind == nullptr || !kind->node) {
    return util::fail(ErrorKind::usage,
                      cat("no policy runs on ", word, ": kubist does not reconcile that kind"));
  }
  const PolicyTemplate files = policy_template(kind->name);
  const data::Json* schema = resources::schema(kind->group, kind->name);
  const char* const field =
      data::find_path(*schema, {"properties", "spec", "properties", "labels"}) != nullptr
          ? "labels"
          : "settings";
  const auto filled = [&](const char* text) {
    std::string made = util::replace_all(util::replace_all(text, "NAME", name), "KIND", kind->name);
    return util::replace_all(std::move(made), "FIELD", field);
  };
  KUBIST_CHECK(
      write_function(arguments, filled(files.definition), filled(files.cases), context.out()));
  return k_ok;
}

}  // namespace

CommandSpec policy_init_command() {
  return {
      .path = "policy init",
      .group = "Policies",
      .summary = "Write a custom policy to start from, with cases that test it",
      .details =
          "Writes NAME.yaml, a PolicyDefinition in Jsonnet that works, and NAME.test.yaml, cases "
          "for 'kubist policy test'. Files that exist are never touched. For a CanaryRelease or an "
          "Experiment the policy takes a decision; for other kinds it sets a label or a setting.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .flags = {{"kind", 0, FlagKind::text, "KIND", "the kind that it is for", "VirtualCluster",
                 Completes::resource_types},
                {"dir", 0, FlagKind::text, "FOLDER", "where the files go", ".", Completes::files}},
      .examples = {{"A policy for canaries, tested at once",
                    "kubist policy init weekday --kind CanaryRelease && kubist policy test "
                    "weekday.yaml weekday.test.yaml"}},
      .run = run_policy_init};
}

}  // namespace kubist::cli
