#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/engine/node.hpp>

namespace kubist::engine {

// An object with a virtualClusterSelector has one status.targets[] entry {virtualCluster, ready,
// reason, ...} for each virtual cluster; what else is in it is the status that the object would
// have if that were its only one. So executors and the loop see a node of one virtual cluster, and
// these functions, all pure, take its status apart and put it together again.

/// The virtual clusters that have an entry.
std::vector<std::string> target_names(const Json& status);

/// The status of one of them as a node of its own has it; an empty object where it has no entry.
Json target_status(const Json& status, std::string_view virtual_cluster);

/// The status of the object after `own` became that of `node` (null: nothing is left there). Ready
/// is True when it is on every virtual cluster; what all have alike stands beside it as for one.
/// Where none is selected the conditions stay.
Json with_target_status(const Json& status, const Node& node, const Json& own,
                        std::chrono::system_clock::time_point now);

}  // namespace kubist::engine
