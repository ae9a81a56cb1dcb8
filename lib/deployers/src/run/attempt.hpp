#pragma once
#include <optional>

#include "item/session.hpp"

namespace kubist::deployers {

/// Tries to run an item, by what its object says: its job to the end, where there is one. Nothing:
/// what was decided on is no longer so, since another kubist runs it, too.
util::Result<std::optional<ItemOutcome>> attempt_item(World& world, Session session,
                                                      const RunOptions& options);

}  // namespace kubist::deployers
