#pragma once
#include "releases/release_listing.hpp"
#include "releases/releases.hpp"

namespace kubist::executors {

/// Reads a CanaryRelease and asks for what runs of its versions; `spec` is its own after its
/// policies. Errors are those of release::read_snapshot(), and of requests where it is on one
/// virtual cluster.
util::Result<release::Snapshot> take_snapshot(World& world, const engine::Graph& graph,
                                              ReleaseListing& listing, const engine::Node& node,
                                              const data::Json& spec, const std::stop_token& stop);

}  // namespace kubist::executors
