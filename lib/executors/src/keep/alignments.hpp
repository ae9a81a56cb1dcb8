#pragma once
#include <vector>

#include <kubist/engine/executor.hpp>
#include <kubist/engine/resource_list.hpp>

namespace kubist::executors {

/// What a function's answer and its objects come to: ready when the answer says nothing else and
/// all objects are, by the rules of kstatus. `live`: as they are (null: somebody deleted it).
engine::Alignment alignment_of(const engine::ExecutorOutput& said,
                               const std::vector<data::Json>& live,
                               std::chrono::system_clock::time_point now);

/// Those of a built-in executor and of the function around it, as one: as good as the worse of the
/// two. Conditions that both give are the built-in's, but for a drift that only the function saw.
/// Children start where both let them.
engine::Alignment joined(engine::Alignment built_in, engine::Alignment function);

/// What somebody else keeps for the node stays as it was: Ready, as status.executor has it, for
/// this spec, or not yet. It holds nobody back.
engine::Alignment left_to_others(const engine::Node& node, const util::Error& why);

/// Those conditions that came with a former status.executor, and which the alignment has not, leave
/// the status.
void drop_conditions(const data::Json& told, engine::Alignment& alignment);
/// Takes status.executor, and the conditions that came with it, out of the next status.
void forget_function(const data::Json& told, engine::Alignment& alignment);

}  // namespace kubist::executors
