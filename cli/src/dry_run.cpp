#include "dry_run.hpp"

#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::ErrorKind;

Flag dry_run_flag(std::string_view help) {
  return choice_flag("dry-run", 0, "MODE", help, "none", {"none", "client", "server"}, "client");
}

util::Result<kube::DryRun> dry_run_of(const Arguments& arguments) {
  const std::string mode = arguments.text("dry-run");
  if (mode == "none" || mode.empty()) {
    return kube::DryRun::none;
  }
  if (mode == "client") {
    return kube::DryRun::client;
  }
  if (mode == "server") {
    return kube::DryRun::server;
  }
  return util::fail(ErrorKind::usage, util::cat("invalid --dry-run value \"", mode, "\""),
                    "It is none, client or server.");
}

Flag detailed_exitcode_flag() {
  return {"detailed-exitcode", 0, FlagKind::boolean, "",
          "with --dry-run=server: exit code 2 if something would change, 0 if nothing would"};
}

util::Result<> check_detailed_exitcode(const Arguments& arguments) {
  if (arguments.boolean("detailed-exitcode") && arguments.text("dry-run") != "server") {
    return util::fail(ErrorKind::usage, "--detailed-exitcode needs --dry-run=server",
                      "The API server says in a dry run what would change.");
  }
  return {};
}

int detailed_exit_code(const Arguments& arguments, int code, bool changes) {
  const bool pending = changes && arguments.boolean("detailed-exitcode");
  return pending && (code == k_ok || code == k_not_ready) ? k_changes_pending : code;
}

bool changes_objects(const apply::Report& report) {
  using apply::Outcome;
  return report.count(Outcome::created) + report.count(Outcome::configured) +
             report.count(Outcome::pruned) + report.count(Outcome::deleted) >
         0;
}

std::string_view dry_run_suffix(kube::DryRun dry_run) {
  switch (dry_run) {
    case kube::DryRun::client:
      return " (dry run)";
    case kube::DryRun::server:
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
