#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include <kubist/util/error.hpp>

namespace kubist::deployers {

/// For each node the nodes that it waits for, by position; without cycles.
using Order = std::vector<std::vector<std::size_t>>;

/// Calls `run(i)` for every node once the calls for all that it waits for have returned, side by
/// side in as many threads as there are nodes, up to some hundreds. Returns when all have. Where
/// run(i) throws, `failed(i, error)` is told in its thread, before what waits for it is started.
void run_in_order(const Order& order,
                  const std::function<void(std::size_t, const util::Error&)>& failed,
                  const std::function<void(std::size_t)>& run);

/// The same edges backwards.
Order reversed(const Order& order);
/// All that each node waits for, directly or not.
Order closure(const Order& order);

}  // namespace kubist::deployers
