#pragma once
#include <vector>

#include <kubist/apply/set.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/resources/manifest.hpp>

namespace kubist::cli {

/// The flags of every command that applies files: -f, -R, --dry-run, --force-conflicts,
/// --field-manager, --validate, --prune, --inventory.
std::vector<Flag> apply_flags();

/// --prune does not go with a selector: an inventory says what is pruned. usage.
util::Result<> check_prune(const Arguments& arguments);

/// What those flags say, and what is always so: the namespace in effect, a Project's namespace made
/// first, progress to the log. Usage: --prune without --inventory.
util::Result<apply::Options> apply_options(Context& context, const Arguments& arguments);
/// What --prune and --inventory say, of an apply in options.default_namespace. Usage: as above.
util::Result<> take_inventory(const Arguments& arguments, apply::Options& options);

/// Checks the objects of -f against kubist's rules and applies them.
util::Result<apply::Report> apply_manifests(Context& context, const apply::Options& options,
                                            std::vector<resources::Manifest>& manifests);

}  // namespace kubist::cli
