#pragma once
#include <string_view>

#include <kubist/cli/context.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/api_call.hpp>

namespace kubist::cli {

/// The -o flag of commands that write objects: they print "configmap/x labeled" without it.
Flag written_flag();

/// Prints each object that was written, by -o or as "TYPE/NAME OPERATION", as kubectl does.
/// Invalid: the template of -o does not parse or does not fit.
util::Result<> print_written(Context& context, const data::Json& object, std::string_view operation,
                             kube::DryRun dry_run);

}  // namespace kubist::cli
