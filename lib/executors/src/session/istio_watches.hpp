#pragma once
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/executors/world.hpp>

#include "session/ended_watches.hpp"
#include "session/metadata_watch.hpp"
#include "session/watches.hpp"

namespace kubist::executors {

/// Watches istiod, in the namespaces that Istio's webhooks lead to, and these webhooks, on the
/// clusters whose Istio runs have judged: a change is drift of the Clusters that lead there, which
/// check Istio again. Those of another cluster than home have one place in the room, of a project
/// that leads there. Any thread.
class IstioWatches {
 public:
  /// REQUIRES: all outlive it.
  IstioWatches(const kube::Client& home, WatchRoom& room, Inbox& inbox, Absences& absences)
      : m_home(home), m_room(room), m_inbox(inbox), m_absences(absences) {}
  /// A run has judged the Istio that the Cluster leads to. A null client: it is not known any more,
  /// and nothing is watched for that Cluster.
  void keep(const engine::Key& cluster, const JudgedIstio& istio);
  /// Forgets the Clusters that are no more.
  void follow(const engine::Graph& graph);

 private:
  /// One cluster, by one client.
  struct Place {
    explicit Place(JudgedIstio judged) : istio(std::move(judged)) {}
    JudgedIstio istio;  ///< its namespaces are guarded by the mutex, as the clusters
    std::mutex mutex;
    std::set<engine::Key> clusters;
    std::vector<std::unique_ptr<MetadataWatch>> watches;
  };
  void leave(const engine::Key& cluster, const kube::Client* but);
  void end_unused();
  void watch(Place& place, WatchRoom::Seat seat);

  const kube::Client& m_home;
  WatchRoom& m_room;
  Inbox& m_inbox;
  Absences& m_absences;
  std::mutex m_mutex;  ///< guards what follows
  std::vector<std::unique_ptr<Place>> m_places;
  EndedWatches m_ended;
};

}  // namespace kubist::executors
