#pragma once
#include <vector>

#include <kubist/apply/set.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/resources/manifest.hpp>

#include "output/set_report.hpp"

namespace kubist::cli {

/// The flags of every command that applies files: -f, -R, --dry-run, --force-conflicts,
/// --field-manager, --validate.
std::vector<Flag> apply_flags();

/// What those flags say, and what is always so: the namespace in effect, a Project's namespace made
/// first, progress to the log.
util::Result<apply::Options> apply_options(Context& context, const Arguments& arguments);

/// Checks the objects of -f against kubist's rules and applies them. Each result goes to `printer`,
/// whose finish() is left to the caller.
util::Result<apply::Report> apply_manifests(Context& context, apply::Options options,
                                            std::vector<resources::Manifest>& manifests,
                                            SetPrinter& printer);

}  // namespace kubist::cli
