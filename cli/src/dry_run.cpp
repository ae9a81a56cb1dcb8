#include "dry_run.hpp"

#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::ErrorKind;

Flag dry_run_flag(std::string_view help) {
  return {
      "dry-run",          0,        FlagKind::optional,          "MODE", std::move(help), "none",
      Completes::choices, "client", {"none", "client", "server"}};
}

util::Result<apply::DryRun> dry_run_of(const Arguments& arguments) {
  const std::string mode = arguments.text("dry-run");
  if (mode == "none" || mode.empty()) {
    return apply::DryRun::none;
  }
  if (mode == "client") {
    return apply::DryRun::client;
  }
  if (mode == "server") {
    return apply::DryRun::server;
  }
  return util::fail(ErrorKind::usage, util::cat("invalid --dry-run value \"", mode, "\""),
                    "It is none, client or server.");
}

std::string_view dry_run_suffix(apply::DryRun dry_run) {
  switch (dry_run) {
    case apply::DryRun::client:
      return " (dry run)";
    case apply::DryRun::server:
      return " (server dry run)";
    default:
      return "";
  }
}

util::Result<kube::FieldValidation> validation_of(const Arguments& arguments) {
  const std::string mode = arguments.text("validate");
  if (mode == "strict" || mode == "true") {
    return kube::FieldValidation::strict;
  }
  if (mode == "warn") {
    return kube::FieldValidation::warn;
  }
  if (mode == "ignore" || mode == "false") {
    return kube::FieldValidation::ignore;
  }
  return util::fail(ErrorKind::usage, util::cat("invalid --validate value \"", mode, "\""),
                    "It is strict, warn or ignore.");
}

}  // namespace kubist::cli
