#pragma once
#include <memory>

#include <kubist/executors/catalog.hpp>

#include "keep/managed.hpp"

namespace kubist::executors {

/// The executor that an ExecutorDefinition defines: its function says which objects shall exist for
/// a node, they are kept as OwnedObjects does. Where the definition cannot be used (an error),
/// nodes fail with it; what was made is taken away all the same.
std::shared_ptr<engine::Executor> make_function_executor(World& world,
                                                         util::Result<ExecutorFunction> function);

}  // namespace kubist::executors
