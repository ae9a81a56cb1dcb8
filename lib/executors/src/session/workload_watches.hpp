#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/executors/world.hpp>

#include "session/ended_watches.hpp"
#include "session/metadata_watch.hpp"
#include "session/watch_room.hpp"
#include "session/watches.hpp"

namespace kubist::executors {

/// Watches the pods, and where releases ask for them the Deployments, that nodes of traffic and
/// releases depend on: in the namespaces that their runs tell of, as the account that read there,
/// by metadata. Each write of one is drift of the nodes that read there. Pods of DeployItems do not
/// count: no traffic goes to them. Each watch lasts as a KindWatch does. Any thread.
class WorkloadWatches {
 public:
  /// REQUIRES: all outlive it.
  WorkloadWatches(WatchRoom& room, Inbox& inbox, Absences& absences);
  ~WorkloadWatches();
  /// That node reads workloads there, in place of what it read before for the same target.
  void keep(const engine::Key& node, const ReadWorkloads& read);
  /// Forgets nodes that are no more. Ends the watches by credentials that none of these clients
  /// has: their nodes are asked for, whose runs go by new ones.
  void follow(const std::vector<std::shared_ptr<kube::Client>>& clients,
              const engine::Graph& graph);

 private:
  using Place = WatchPlace;
  struct Reader {
    engine::Key node;
    std::string target;
    auto operator<=>(const Reader&) const = default;
  };
  class One;
  void watch(const Place& place, const Reader& reader, const ReadWorkloads& read,
             const kube::ApiResource& resource);
  void leave(const Place& place, const Reader& reader);

  WatchRoom& m_room;
  Inbox& m_inbox;
  Absences& m_absences;
  std::mutex m_mutex;  ///< guards what follows
  std::map<Place, std::unique_ptr<One>> m_watches;
  std::map<Reader, std::set<Place>> m_read;
  EndedWatches m_ended;
};

}  // namespace kubist::executors
