#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <kubist/deployers/world.hpp>

#include "session/known_objects.hpp"
#include "session/watch_room.hpp"
#include "session/watches.hpp"

namespace kubist::executors {

/// An item whose objects are watched. There may be very many: it is held once.
struct ItemName {
  engine::Key node;
  std::string uid;
};

/// Watches one kind in one namespace for ItemWatches. Holds hashes of what is only compared, for
/// there may be very many objects. Any thread.
class ItemWatch {
 public:
  ItemWatch(const std::shared_ptr<kube::Client>& client, kube::ApiResource resource,
            WatchPlace place, WatchRoom::Seat seat, Inbox& inbox, Absences& absences);
  ~ItemWatch();
  ItemWatch(const ItemWatch&) = delete;
  ItemWatch& operator=(const ItemWatch&) = delete;

  const WatchPlace& place() const { return m_place; }
  /// That is how a run now goes there: where this watch is refused, that may have other
  /// credentials.
  void use(const std::shared_ptr<kube::Client>& client);
  /// What the item keeps there, in place of what it kept before; `manager` is the field manager of
  /// what it applies.
  void keep(const std::shared_ptr<const ItemName>& item, const std::string& manager,
            const std::vector<deployers::Kept>& objects);
  /// It keeps nothing there any more, if this is the name that it was last given.
  void leave(const std::shared_ptr<const ItemName>& item);
  /// Another one of the same, in place of the one that it was given.
  void rename(const std::shared_ptr<const ItemName>& item);
  /// Nobody will ask for a while: holds what it has close together.
  void rest();

 private:
  using Hash = std::size_t;  ///< of a text that is only compared
  /// What the watch has told of an object.
  struct Seen {
    Hash uid = 0;
    std::string resource_version;
    std::vector<std::pair<Hash, std::string>> fields;  ///< by field manager of an item
    std::size_t bytes() const;
  };
  struct Wanted {
    std::string name;  ///< as of name_of()
    Hash uid = 0;      ///< 0: it is not there
    std::string resource_version;
    std::string fields;
    /// What was seen when it was last told to be drift, or 0: nothing is told of that twice, as it
    /// may have to stay so.
    Hash told = 0;
  };
  struct Item {
    std::shared_ptr<const ItemName> name;
    Hash manager = 0;
    std::vector<Wanted> objects;  ///< by name
  };
  void start();
  std::string name_of(std::string_view ns, std::string_view name) const;
  bool is_full();
  util::Result<> take(const kube::WatchEvent& event);
  static Seen seen_of(const kube::WatchEvent& event);
  void check(const std::string& name);
  void check(const Item& item, Wanted& wanted);

  const WatchPlace m_place;
  Inbox& m_inbox;
  Absences& m_absences;
  std::string m_name;
  kube::WatchOptions m_options;
  std::atomic<bool> m_away = false;
  std::mutex m_use_mutex;  ///< guards the client and the watch
  std::shared_ptr<kube::Client> m_client;
  std::mutex m_mutex;                      ///< guards what follows, but the watch
  KnownObjects<std::string, Seen> m_seen;  ///< as of name_of()
  bool m_complete = false;                 ///< it was listed once
  std::string m_version;                   ///< of the last event
  std::map<std::string, Item> m_items;     ///< by uid
  kube::StandingWatch m_watch;             ///< last: it uses all of the above
};

}  // namespace kubist::executors
