#include "create_object.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/util/text.hpp>

#include "dry_run.hpp"
#include "output/written.hpp"

namespace kubist::cli {

using util::cat;

std::vector<Flag> create_flags(std::vector<Flag> own) {
  own.push_back(dry_run_flag("make nothing: client only prints, server lets the API server check"));
  own.push_back(written_flag());
  return own;
}

util::Result<int> create_object(Context& context, const kube::ApiResource& resource,
                                data::Json object) {
  KUBIST_TRY(const kube::DryRun dry_run, dry_run_of(context.arguments()));
  KUBIST_TRY(const std::string ns, context.ns());
  object["apiVersion"] = resource.api_version();
  object["kind"] = resource.kind;
  if (dry_run != kube::DryRun::client || context.ns_given()) {
    object["metadata"]["namespace"] = ns;
  }
  if (dry_run != kube::DryRun::client) {
    KUBIST_TRY(const auto client, context.client());
    const kube::Writer writer({.field_manager = "kubist-create", .dry_run = dry_run});
    KUBIST_TRY(object, writer.create({*client}, resource, object));
    // A run may bring the namespace, so that a Writer's dry run takes it for granted.
    if (data::string_at(object, {"metadata", "uid"}).empty()) {
      return util::fail(util::ErrorKind::not_found, cat("the namespace \"", ns, "\" is not there"),
                        cat("'kubist get namespaces' lists those that are."));
    }
  }
  KUBIST_CHECK(print_written(context, object, "created", dry_run));
  return k_ok;
}

CommandSpec create_command(std::string_view path, std::string_view summary,
                           std::string_view details, std::vector<Flag> own,
                           std::vector<Example> examples) {
  return {.path = path,
          .group = "Objects of any kind, as kubectl",
          .summary = summary,
          .details = details,
          .arguments = "NAME",
          .min_words = 1,
          .max_words = 1,
          .flags = create_flags(std::move(own)),
          .examples = std::move(examples)};
}

}  // namespace kubist::cli
