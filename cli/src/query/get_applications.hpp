#pragma once
#include <string>
#include <vector>

#include <kubist/cli/context.hpp>
#include <kubist/engine/graph.hpp>
#include <kubist/traffic/applications.hpp>

namespace kubist::cli {

/// Do the words of `get` ask for applications, which are no kind of the server?
bool asks_for_applications(const std::vector<std::string>& words);

/// `get applications [NAME...]`: those that runs have found in the virtual clusters of the project
/// namespace in effect (-A: of all), with readiness and shares. As table, -o wide or json.
util::Result<int> get_applications(Context& context, const Arguments& arguments,
                                   const std::vector<std::string>& words);

/// Of the VirtualClusters, Destinations and TrafficRoutes of a tree.
std::vector<traffic::VersionRow> version_rows(const engine::Graph& graph);

}  // namespace kubist::cli
