#include "apply_input.hpp"

#include <kubist/executors/prepare.hpp>

#include "dry_run.hpp"
#include "input.hpp"

namespace kubist::cli {

std::vector<Flag> apply_flags() {
  return {filename_flag(),
          recursive_flag(),
          dry_run_flag("write nothing: client compares only, server lets the API server check"),
          {"force-conflicts", 0, FlagKind::boolean, "", "take over fields of other field managers"},
          {"field-manager", 0, FlagKind::text, "NAME", "the field manager to write as",
           kube::k_default_manager},
          {"validate",
           0,
           FlagKind::optional,
           "MODE",
           "what the server does about unknown fields: strict, warn or ignore",
           "strict",
           Completes::choices,
           "strict",
           {"strict", "warn", "ignore", "true", "false"}}};
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
  options.before_apply = executors::prepare_projects;
  options.brings_namespace = executors::brought_namespace;
  options.on_progress = [&context](std::string_view line) { context.log().line(line); };
  return options;
}

util::Result<apply::Report> apply_manifests(Context& context, apply::Options options,
                                            std::vector<resources::Manifest>& manifests,
                                            SetPrinter& printer) {
  KUBIST_TRY(const auto client, context.client());
  KUBIST_CHECK(check_input(manifests, client.get(), options.default_namespace, context.stop()));
  options.on_result = [&printer](const apply::ObjectResult& result) { printer.result(result); };
  return apply::apply_set(*client, manifests, options, context.stop());
}

}  // namespace kubist::cli
