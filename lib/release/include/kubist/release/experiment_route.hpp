#pragma once
#include <optional>
#include <string>
#include <vector>

#include <kubist/engine/node.hpp>
#include <kubist/release/experiment_loop.hpp>
#include <kubist/traffic/override.hpp>

namespace kubist::experiment {

/// Invalid, for what waiting does not mend: the route is borrowed (RouteBorrowed), kept on many
/// virtual clusters (RouteOnMany), an HTTPRoute (NeedsVirtualService), or has no such rule
/// (NoSuchRule).
util::Result<> check_route(const Plan& plan, const engine::Node& route);

/// The experiment's route as the graph has it (null: it is not there). `others`: what somebody else
/// gives it in this run.
Seen see_route(const engine::Node& experiment, const engine::Node* route,
               const std::optional<traffic::Override>& others);

/// What the experiment gives its route; nothing: it leaves it as it is (Pending: its weights are
/// its own, or somebody else's).
std::optional<traffic::Override> override_of(const engine::Node& experiment, const Plan& plan,
                                             const Progress& progress);

}  // namespace kubist::experiment
