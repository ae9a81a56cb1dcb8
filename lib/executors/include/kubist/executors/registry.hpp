#pragma once
#include <map>
#include <string>
#include <vector>

#include <kubist/engine/executor.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/executors/world.hpp>

namespace kubist::executors {

/// The executors of all kinds, bound to a world, which outlives the set. One of World::functions
/// takes the place of a built-in one that has its name; its aliases still name the built-in one.
/// The first, by name, that serves a kind of its own is that kind's.
engine::ExecutorSet make_executors(World& world, const std::vector<resources::ServedKind>& served);

}  // namespace kubist::executors
