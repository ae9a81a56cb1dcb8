#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include <kubist/engine/graph.hpp>

namespace kubist::engine {

/// Is it a Root or a Project that imposes a policy on DeployItems? `policy`: one of that name;
/// empty: any.
bool imposes_on_items(const Node& node, std::string_view policy = {});

/// The nearest such one, the node itself or above it; null: there is none.
const Node* imposer_on_items(const Graph& graph, NodeId node);

/// DeployItems that an Execution is about to make. They are no nodes of its tree, since the
/// Execution runs them: here they are nodes of a tree of their own, below its Root and its Project.
struct MadeItems {
  Graph graph;
  std::vector<NodeId> ids;  ///< of the items, in order
};

/// With the policies that the Root and the Project above `maker` impose on DeployItems, and no
/// others; where one of these may be overridden and `maker` names it itself, without that one.
/// Nothing: nobody imposes any.
std::optional<MadeItems> made_items(const Graph& graph, NodeId maker,
                                    const std::vector<Json>& items);

}  // namespace kubist::engine
