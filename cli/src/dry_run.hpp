#pragma once
#include <string_view>

#include <kubist/apply/set.hpp>
#include <kubist/cli/command.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// The flag --dry-run; `help` says what is left out.
Flag dry_run_flag(std::string_view help);
/// --dry-run[=none|client|server]. Usage: another word.
util::Result<kube::DryRun> dry_run_of(const Arguments& arguments);
/// The flag --detailed-exitcode, as Terraform's.
Flag detailed_exitcode_flag();
/// Usage: --detailed-exitcode without --dry-run=server.
util::Result<> check_detailed_exitcode(const Arguments& arguments);
/// `code`; with --detailed-exitcode 2 instead of 0 (and of 3, not ready) where the dry run
/// `changes` something.
int detailed_exit_code(const Arguments& arguments, int code, bool changes);
/// Would it change the cluster, or did it?
bool changes_objects(const apply::Report& report);
/// What kubectl appends to a line: "", " (dry run)" or " (server dry run)".
std::string_view dry_run_suffix(kube::DryRun dry_run);
/// --validate[=strict|warn|ignore]. Usage: another word.
util::Result<kube::FieldValidation> validation_of(const Arguments& arguments);

}  // namespace kubist::cli
