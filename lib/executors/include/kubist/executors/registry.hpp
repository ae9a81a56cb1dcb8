#pragma once
#include <string>
#include <vector>

#include <kubist/engine/executor.hpp>
#include <kubist/executors/world.hpp>

namespace kubist::executors {

/// The executors of all kinds, bound to a world, which outlives the set.
engine::ExecutorSet make_executors(World& world);

/// Canonical names that a kind may use, for offline validation.
std::vector<std::string> executor_names(std::string_view kind);

}  // namespace kubist::executors
