#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <kubist/engine/executor.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/executors/world.hpp>

#include "session/replica_requests.hpp"

namespace kubist::executors {

/// The projects of the subtrees, by their namespaces, whose Leases name replicas, alive or not.
std::set<std::string> projects_of_replicas(kube::Client& home, const engine::Graph& graph,
                                           const std::vector<engine::NodeId>& tops,
                                           const std::stop_token& stop);

/// What a run by hand does about projects that replicas have: it asks them for the subtrees
/// (annotation kubist.io/request), and takes for its own what their statuses say then. It writes
/// nothing there but these annotations. Any thread.
class HandOver {
 public:
  /// `projects`: those of replicas, by their namespaces. REQUIRES: `world` outlives it.
  HandOver(World& world, std::set<std::string> projects, ReplicaRequests::Options options)
      : m_world(world),
        m_projects(std::move(projects)),
        m_requests(*world.home, world.locks, std::move(options)) {}

  /// Stands before these executors for the nodes of such projects. Outlives them.
  void stand_before(engine::ExecutorSet& executors);

  bool has(const engine::Node& node) const;
  /// What the replica came to. A conflict with reason k_plan_changed: the project is no replica's
  /// any more.
  util::Result<engine::Alignment> align(const engine::Node& node, const engine::Context& context);
  util::Result<engine::Removal> remove(const engine::Node& node, const engine::Context& context);

 private:
  bool is_top(const engine::Node& node, const engine::Context& context) const;
  ReplicaRequests::Seen read(const engine::Node& node, const std::stop_token& stop);
  util::Result<> have_it_done(const engine::Node& node, const engine::Context& context);

  World& m_world;
  const std::set<std::string> m_projects;
  ReplicaRequests m_requests;
  mutable std::mutex m_mutex;  ///< guards what follows
  std::set<engine::Key> m_done;
  std::map<engine::Key, ObjectPtr> m_fresh;  ///< as listed once that was done
};

}  // namespace kubist::executors
