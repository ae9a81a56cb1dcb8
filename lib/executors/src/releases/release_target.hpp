#pragma once
#include <functional>
#include <string>
#include <vector>

#include "releases/release_listing.hpp"
#include "releases/releases.hpp"

namespace kubist::executors {

/// What runs of both versions on one virtual cluster: `look` gets their workloads; what is released
/// and whether it is ready is what comes back, without members.
release::Seen look_at_target(const RunningThere& there, const deployers::Place& place,
                             const std::string& target, ReleaseLook& look);

/// All virtual clusters as one: what is released cannot be told while one of them cannot be
/// reached.
release::Seen joined(const std::vector<std::string>& targets,
                     const std::function<util::Result<release::Seen>(const std::string&)>& look,
                     const std::string& canary);

}  // namespace kubist::executors
