#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <kubist/executors/session.hpp>

#include "session/istio_watches.hpp"
#include "session/item_watches.hpp"
#include "session/kind_watch.hpp"
#include "session/read_watches.hpp"
#include "session/tree_cache.hpp"
#include "session/watch_room.hpp"
#include "session/watches.hpp"
#include "session/workload_watches.hpp"

namespace kubist::executors {

/// All that --watch watches. One thread; the runs that it serves have threads of their own.
class LoopWatches {
 public:
  /// Watches the kinds of the tree there, and what kubist keeps at home. REQUIRES: all outlive it.
  LoopWatches(Session& session, WatchedNamespaces where, Inbox& inbox, Absences& absences);
  /// Runs with these options read the tree from the watches, and tell them what they keep. They
  /// end before it does.
  void serve(ReconcileOptions& options);
  /// Watches also what the nodes of this tree keep, and the kinds that executors serve; where it is
  /// a fresh one, also what they read. Else items and Executions need only have their names.
  void follow(const engine::Graph& tree, bool fresh, const std::vector<kube::ApiResource>& served);
  /// It is to follow the tree again, though nothing of that has changed.
  bool is_outdated() { return m_drift.is_outdated(); }
  /// May something not be watched everywhere? Then it needs a tree that tells what runs have made.
  bool is_limited() { return m_drift.is_limited(); }
  /// Nothing is to do for a while: holds what it has in less memory.
  void rest();

 private:
  Session& m_session;
  const WatchedNamespaces m_where;
  Inbox& m_inbox;
  Absences& m_absences;
  kube::Room m_room;                                          ///< of what the watches of kinds hold
  std::map<std::string, std::unique_ptr<KindWatch>> m_kinds;  ///< by group and resource
  TreeCache m_cache;
  WatchRoom m_watch_room;
  WatchRoom m_cluster_room;
  DriftWatches m_drift;
  ItemWatches m_items;
  ReadWatches m_reads;
  IstioWatches m_istio;
  WorkloadWatches m_workloads;
};

}  // namespace kubist::executors
