#pragma once
#include <kubist/cli/context.hpp>

#include "targets.hpp"

namespace kubist::cli {

/// The objects that -f (and -R) name, as targets in their order; those without a namespace are
/// looked for in the one in effect. Errors: as read_input(), or kinds that the server does not
/// have.
util::Result<Targets> targets_of_files(Context& context, const Arguments& arguments);

}  // namespace kubist::cli
