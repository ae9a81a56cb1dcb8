#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <kubist/util/error.hpp>

namespace kubist::deployers {

/// For each node the nodes that it waits for, by position; without cycles.
using Order = std::vector<std::vector<std::size_t>>;

/// Calls `run(i)` for every node once the calls for all that it waits for have returned, side by
/// side: here, and in threads of which each project, known by its namespace, has some hundreds in
/// this process. Where it has no more, nodes wait for the end of others. Returns when all calls
/// have. Where run(i) throws, `failed(i, error)` is told in its thread, before what waits for it is
/// started. run(i) may call this again.
void run_in_order(const Order& order, const std::string& project,
                  const std::function<void(std::size_t, const util::Error&)>& failed,
                  const std::function<void(std::size_t)>& run);

/// The same edges backwards.
Order reversed(const Order& order);
/// Do any wait for each other? Takes as long as there are nodes and edges.
bool has_cycle(const Order& order);
/// All that each node waits for, directly or not. Takes up to nodes by edges.
Order closure(const Order& order);

}  // namespace kubist::deployers
