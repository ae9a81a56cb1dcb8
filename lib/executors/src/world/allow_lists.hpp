#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/engine/graph.hpp>

/// spec.allow of a Project and of the Root: what their members' objects may name.
namespace kubist::executors {

/// The lists of that name in the Project and the Root that the node is or is below of; those that
/// neither has are left out.
std::vector<const data::Json*> allow_lists(const engine::Graph& graph, const engine::Node& node,
                                           std::string_view name);
/// All their entries; nothing: neither has such a list.
std::optional<std::vector<std::string>> allowed_by(const engine::Graph& graph,
                                                   const engine::Node& node, std::string_view name);

}  // namespace kubist::executors
