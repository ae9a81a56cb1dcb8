#pragma once
#include <stop_token>

#include <kubist/engine/pipeline.hpp>
#include <kubist/http/guarded_transport.hpp>

#include "releases/releases.hpp"

namespace kubist::executors {

/// Makes the calls of releases' policies. One for a run; any thread.
class ReleaseCalls {
 public:
  ReleaseCalls(World& world, const engine::Graph& graph) : m_world(world), m_graph(graph) {}

  /// Takes a job one step on (release_jobs.hpp), or calls a webhook (notify/hook.hpp) at an address
  /// that the Project allows: the answers of those. {reason, message}: it is not due, a dry run
  /// calls nobody, or the Project allows the address to no one.
  data::Json answer(const engine::Node& node, const release::Snapshot& snapshot,
                    const engine::RequestedCall& requested, const std::stop_token& stop) const;
  /// The number behind the URL, asked for now: {value} or {reason, message}.
  data::Json read(const engine::Node& node, const release::Snapshot& snapshot,
                  const engine::WebQuery& query, const std::stop_token& stop) const;

 private:
  World& m_world;
  const engine::Graph& m_graph;
  const http::GuardedEngine m_engine;
};

}  // namespace kubist::executors
