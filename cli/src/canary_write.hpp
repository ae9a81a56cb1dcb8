#pragma once
#include <kubist/cli/command.hpp>
#include <kubist/cli/context.hpp>

namespace kubist::cli {

/// Writes the weights that the named releases left into the TrafficRoutes of the file --write, and
/// prints what changed. The cluster is only read. Invalid: a release has not succeeded; not_found:
/// the file lacks one of its routes. Then the file stays as it is.
util::Result<int> write_released(Context& context, const Arguments& arguments);

}  // namespace kubist::cli
