#pragma once
#include "releases/release_listing.hpp"
#include "releases/releases.hpp"

namespace kubist::executors {

/// The kind and name of a release's route.
engine::Key route_key(const engine::Node& release, const std::string& route);

/// The routes that a CanaryRelease or an Experiment names; none of any other node.
std::vector<engine::Key> routes_of(const engine::Node& release);

/// Annotation kubist.io/request where nobody has answered it; else empty.
std::string pending_request(const engine::Node& node);

/// The answer to it: done, with what came of it, or refused, for what it meets means nothing to it.
/// `what` is "the release is Paused".
engine::HandledRequest answered(const std::string& request, bool done, const std::string& message,
                                std::string_view what);

/// Invalid, reason RouteOnMany: the route is kept on many virtual clusters.
util::Result<> check_one_target(const engine::Graph& graph, const engine::Key& route);

/// The virtual clusters on which a release moves weights: its own, else those of its routes,
/// sorted.
std::vector<std::string> targets_of(const engine::Graph& graph, const engine::Node& release);

/// Looks at the target's pods and at the routes of a CanaryRelease; `spec` is its own after its
/// policies. Invalid: the spec does not read, or names no Destination or version of the plan.
util::Result<ReleaseLook> look_at_release(World& world, const engine::Graph& graph,
                                          ReleaseListing& listing, const engine::Node& node,
                                          const data::Json& spec, const std::stop_token& stop);

/// status.members of a release: a hash of each route's spec.routes.
data::Json members_of(const engine::Graph& graph, const engine::Node& node,
                      const release::Plan& plan);

}  // namespace kubist::executors
