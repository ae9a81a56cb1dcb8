#pragma once
#include <kubist/engine/graph.hpp>

namespace kubist::engine {

/// Those from which the policy's parameters are filled in: of an imposed one no settings below who
/// imposes it count.
Json settings_for(const Graph& graph, NodeId id, const resources::NamedCall& call);

}  // namespace kubist::engine
