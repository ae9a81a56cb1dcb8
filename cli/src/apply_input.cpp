#include "apply_input.hpp"

#include <kubist/executors/prepare.hpp>
#include <kubist/util/text.hpp>

#include "dry_run.hpp"
#include "input.hpp"

namespace kubist::cli {

std::vector<Flag> apply_flags() {
  return {
      filename_flag(),
      recursive_flag(),
      dry_run_flag("write nothing: client compares only, server lets the API server check"),
      {"force-conflicts", 0, FlagKind::boolean, "", "take over fields of other field managers"},
      {"field-manager", 0, FlagKind::text, "NAME", "the field manager to write as",
       kube::k_default_manager},
      choice_flag("validate", 0, "MODE",
                  "what the server does about unknown fields: strict, warn or ignore", "strict",
                  {"strict", "warn", "ignore", "true", "false"}, "strict"),
      {"prune", 0, FlagKind::boolean, "", "delete what is no longer in the input"},
      {"inventory", 0, FlagKind::text, "NAME", "the ConfigMap that remembers what was applied"}};
}

util::Result<> check_prune(const Arguments& arguments) {
  if (arguments.boolean("prune") && !arguments.text("selector").empty()) {
    return util::fail(util::ErrorKind::usage, "--prune and --selector cannot go together",
                      "kubectl prunes what has the labels, whoever applied it; kubist what an "
                      "inventory remembers: --prune --inventory NAME.");
  }
  return {};
}

util::Result<> take_inventory(const Arguments& arguments, apply::Options& options) {
  options.prune = arguments.boolean("prune");
  if (arguments.given("inventory")) {
    options.inventory = {options.default_namespace, arguments.text("inventory")};
  }
  if (options.prune && !options.inventory) {
    return util::fail(
        util::ErrorKind::usage, "--prune needs --inventory NAME",
        util::cat("Give each set of files another name, as in 'kubist ", arguments.spec().path,
                  " -f env/ --prune --inventory env': only what was applied under it is ever "
                  "pruned, and two sets of one name would prune each other's objects. The first "
                  "run makes the inventory; objects applied before without it are not known to "
                  "it."));
  }
  return {};
}

util::Result<apply::Options> apply_options(Context& context, const Arguments& arguments) {
  apply::Options options;
  options.manager = arguments.text("field-manager");
  options.force_conflicts = arguments.boolean("force-conflicts");
  KUBIST_TRY(options.dry_run, dry_run_of(arguments));
  KUBIST_TRY(options.validation, validation_of(arguments));
  KUBIST_TRY(options.default_namespace, context.ns());
  options.enforce_namespace = context.ns_given();
  options.check_fields = true;
  options.take_over_client_side = true;
  options.needs = executors::needed_namespaces;
  options.on_progress = [&context](std::string_view line) { context.log().line(line); };
  KUBIST_CHECK(take_inventory(arguments, options));
  return options;
}

util::Result<apply::Report> apply_manifests(Context& context, const apply::Options& options,
                                            std::vector<resources::Manifest>& manifests) {
  KUBIST_TRY(const auto client, context.client());
  KUBIST_CHECK(check_input(manifests, client.get(), options.default_namespace, context.stop()));
  return apply::apply_set(*client, manifests, options, context.stop());
}

}  // namespace kubist::cli
