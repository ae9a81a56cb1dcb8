#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace kubist::deployers {

/// For each node the nodes that it waits for, by position; without cycles.
using Order = std::vector<std::vector<std::size_t>>;

/// Calls `run(i)` for every node, each in a thread of its own, once the calls for all that it waits
/// for have returned. Returns when all have.
void run_in_order(const Order& order, const std::function<void(std::size_t)>& run);

/// The same edges backwards.
Order reversed(const Order& order);
/// All that each node waits for, directly or not.
Order closure(const Order& order);

}  // namespace kubist::deployers
