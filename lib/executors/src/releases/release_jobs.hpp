#pragma once
#include <stop_token>

#include <kubist/engine/pipeline.hpp>

#include "releases/releases.hpp"

namespace kubist::executors {

/// Does the Project, or the Root, allow releases to run the image? Forbidden, reason
/// ImageNotAllowed.
util::Result<> check_job_image(const engine::Graph& graph, const engine::Node& release,
                               std::string_view image);

/// Runs a job of a step as a DeployItem of the release in its namespace on the home cluster, as an
/// image of a policy (container_runtime.hpp), and does not wait for it: each call takes it one step
/// on. It runs once for each try of each attempt, whoever asks and however often. {succeeded,
/// message}, or {reason, message}: JobRunning, ImageNotAllowed, or why it could not be run.
/// REQUIRES: the call is a JobCall.
data::Json run_job(World& world, const engine::Graph& graph, const engine::Node& node,
                   const release::Snapshot& snapshot, const engine::RequestedCall& call,
                   const std::stop_token& stop);

/// Ends those that still run (SIGTERM; their DeployItems stay, Failed with reason Interrupted). For
/// a release that is over or rolls back. Errors are those of requests.
util::Result<> end_jobs(World& world, const engine::Graph& graph, const engine::Node& release,
                        const std::stop_token& stop);

}  // namespace kubist::executors
