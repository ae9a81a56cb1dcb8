#pragma once
#include <functional>
#include <string>

#include "steps.hpp"

/// Calls of a node's executor, which throws nothing here. Any thread.
namespace kubist::engine {

/// After its policies (null: it has none): where they hold or failed, that decides.
util::Result<Alignment> call_executor(const StepContext& context, const Node& node,
                                      const PolicyVerdict* policies,
                                      const std::function<void(std::string)>& progress);

util::Result<Removal> call_remover(const StepContext& context, const Node& node,
                                   const std::function<void(std::string)>& progress);

}  // namespace kubist::engine
