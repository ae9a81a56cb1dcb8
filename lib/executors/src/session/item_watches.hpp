#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <kubist/deployers/world.hpp>
#include <kubist/engine/graph.hpp>

#include "session/ended_watches.hpp"
#include "session/watch_room.hpp"
#include "session/watches.hpp"

namespace kubist::executors {

struct ItemName;
class ItemWatch;

/// Watches what manifest and helm items keep, by the kinds and namespaces of their inventories and
/// as the account that made it: an object that is not as the last run of its item saw it is drift
/// of the item's node. By metadata only, and Secrets not at all: who watches them may read them.
/// What one credential sees is not told of objects that were made by another, wherever it leads.
/// Where there is no room for a watch, the resync finds the drift. Each of the watches lasts as a
/// KindWatch does. What a watch is doing is waited for only by those who use that watch. Any
/// thread.
class ItemWatches {
 public:
  /// REQUIRES: all outlive it.
  ItemWatches(WatchRoom& room, Inbox& inbox, Absences& absences);
  ~ItemWatches();
  /// What an item of that node keeps, in place of what it kept before.
  void keep(const engine::Key& node, const deployers::KeptObjects& kept);
  /// Forgets the items of nodes that are no more. Ends the watches by credentials that none of
  /// these clients has: nodes of their items are asked for, whose runs go by new ones.
  void follow(const std::vector<std::shared_ptr<kube::Client>>& clients,
              const engine::Graph& graph);
  /// Nobody will ask for a while: holds what it has in less memory.
  void rest();

 private:
  using Place = WatchPlace;
  using Watches = std::vector<std::shared_ptr<ItemWatch>>;
  using Name = std::shared_ptr<const ItemName>;
  struct Item {
    Name name;
    Watches watches;  ///< which end with their last item
  };
  /// What an item keeps at one place.
  struct Part {
    kube::ApiResource resource;
    std::vector<deployers::Kept> objects;
  };
  using Parts = std::map<Place, Part>;
  static Parts parts_of(const engine::Key& node, const deployers::KeptObjects& kept);
  std::shared_ptr<ItemWatch> watch_of(const Place& place,
                                      const std::shared_ptr<kube::Client>& client,
                                      const kube::ApiResource& resource);
  bool is_kept(const Name& item);
  void leave(const Name& item, Watches watches);

  WatchRoom& m_room;
  Inbox& m_inbox;
  Absences& m_absences;
  std::mutex m_mutex;  ///< guards what follows; no watch is called under it
  std::map<Place, std::weak_ptr<ItemWatch>> m_watches;
  std::map<std::string, Item> m_items;  ///< by uid
  EndedWatches m_ended;
};

}  // namespace kubist::executors
