#pragma once
#include "steps/steps_plan.hpp"

namespace kubist::policies {

/// setHeaderRoute and setMirrorRoute.
bool is_route(const std::string& kind);
/// By Argo Rollouts' fields; `where` is the step in errors, and `place` the step's. Invalid: a
/// field that is not known, no name, a match that asks for nothing.
util::Result<Step> read_route(const std::string& kind, const Json& given, const std::string& where,
                              const Place& place);

/// The condition of all header routes that are set before step `place` at a weight; empty: none is.
std::string match_at(const std::vector<Stage>& stages, int weight, std::size_t place);
/// spec.mirror {percent, match} of the mirror routes that are set there: the last one that was set
/// and has not ended. Null: none is.
Json mirror_at(const std::vector<Stage>& stages, int weight, std::size_t place);

}  // namespace kubist::policies
