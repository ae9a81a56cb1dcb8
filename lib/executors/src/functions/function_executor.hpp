#pragma once
#include <map>
#include <memory>
#include <string>

#include <kubist/executors/catalog.hpp>

#include "keep/managed.hpp"

namespace kubist::executors {

/// The built-in executors by kind.
using BuiltIns = std::map<std::string, std::shared_ptr<ManagedExecutor>, std::less<>>;

/// The executor that an ExecutorDefinition defines: its function says which objects shall exist for
/// a node, they are kept as OwnedObjects does. It runs instead of the built-in executor of the
/// node's kind, or before or after the one that it wraps. Where the definition cannot be used (an
/// error), nodes fail with it; what was made is taken away all the same.
std::shared_ptr<engine::Executor> make_function_executor(World& world,
                                                         util::Result<ExecutorFunction> function,
                                                         BuiltIns built_ins);

}  // namespace kubist::executors
