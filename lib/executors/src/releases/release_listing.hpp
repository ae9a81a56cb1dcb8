#pragma once
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <kubist/deployers/world.hpp>
#include <kubist/engine/graph.hpp>
#include <kubist/release/snapshot.hpp>

#include "world/shared_answer.hpp"

namespace kubist::executors {

/// Lists the namespaces of releases, once a run each where several releases look there. Any thread.
class ReleaseListing {
 public:
  /// `graph` says how many look where.
  explicit ReleaseListing(const engine::Graph& graph);

  /// The Deployments of the place and its pods: at least those that `selector` finds. `target`: the
  /// virtual cluster that the place is.
  util::Result<std::shared_ptr<const release::Running>> list(const engine::Node& release,
                                                             const std::string& target,
                                                             const deployers::Place& place,
                                                             const std::string& selector,
                                                             const std::stop_token& stop);

 private:
  using Where = std::pair<std::string, std::string>;  ///< namespace and target
  std::map<Where, std::size_t> m_releases;
  SharedAnswers<Where, std::shared_ptr<const release::Running>, BadAnswers::kept> m_found;
};

}  // namespace kubist::executors
