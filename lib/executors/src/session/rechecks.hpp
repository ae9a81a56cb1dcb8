#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::executors {

/// What a run planned, looked at again under its locks: what was planned holds as long as no object
/// of the project was changed, added or taken away; that of a few items as long as what they depend
/// on was not. Projects that are locked at the same time share their lists. Any thread.
class Rechecks {
 public:
  /// What the plan was made of. REQUIRES: all outlive it; stop ends what it asks.
  Rechecks(kube::Client& home, const engine::Graph& graph,
           const std::vector<engine::NodeId>& selected, const std::vector<data::Json>& definitions,
           const Outside& outside, std::stop_token stop);
  /// Of a namespace that is locked. A conflict with reason k_plan_changed: it is another plan now.
  util::Result<> check(const std::string& ns);

 private:
  struct Round;
  std::shared_ptr<const Round> ask(const std::string& ns);
  void list(Round& round) const;
  util::Result<Snapshot> list_in(const std::string& ns) const;
  util::Result<> compare(const Snapshot& now, const std::string& ns) const;

  kube::Client& m_home;
  const engine::Graph& m_graph;
  const std::vector<data::Json>& m_definitions;
  const Outside& m_outside;
  const std::set<engine::Key> m_few;  ///< are asked for by name
  const std::size_t m_projects;       ///< that the graph has
  const std::stop_token m_stop;
  std::mutex m_mutex;  ///< guards what follows
  std::condition_variable m_ended;
  bool m_lists = false;           ///< a round is under way
  std::shared_ptr<Round> m_next;  ///< the one that begins after it; null: nobody has asked
};

}  // namespace kubist::executors
