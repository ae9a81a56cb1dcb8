#pragma once
#include <memory>

#include <kubist/engine/graph.hpp>
#include <kubist/engine/policy.hpp>
#include <kubist/executors/world.hpp>

namespace kubist::executors {

/// Policies and executors whose source is an image: each call is a DeployItem in the namespace of
/// the resource's project, on the home cluster, and stays with its answer (deployers/function.hpp).
/// The image gets items[0] without what changes from run to run: finalizers, generation, and its
/// status, unless the definition wants that. `world` outlives the runtime; null: there is no
/// cluster to run it in, and each answer is an error that says so.
std::shared_ptr<engine::PolicyRuntime> make_container_runtime(World* world);

/// Is the node the DeployItem of a function?
bool is_function_item(const engine::Node& node);
/// Does the resource that it was made for still name that function?
bool is_function_used(const engine::Graph& graph, const engine::Node& item);

}  // namespace kubist::executors
