#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <kubist/engine/graph.hpp>
#include <kubist/kube/watch.hpp>

#include "session/keepers.hpp"
#include "session/known_objects.hpp"
#include "session/watch_room.hpp"
#include "session/watches.hpp"

namespace kubist::executors {

/// What a DriftWatch looks at, and as whom.
struct DriftScope {
  std::shared_ptr<kube::Client> client;
  bool is_home = false;
  kube::ApiResource resource;
  std::string ns = {};        ///< empty: all namespaces
  std::string name = {};      ///< one object; empty: all
  WatchRoom::Seat seat = {};  ///< null: it is kubist's own
};

/// The watch of one kind on one cluster, or of a part of it, for DriftWatches.
class DriftWatch {
 public:
  /// Owners are on the home cluster of that uid. `keepers` (null: no run has a tree) as of
  /// follow(). `on_refused` as of kube::WatchOptions. REQUIRES: `inbox` and `absences` outlive it.
  DriftWatch(std::string home_uid, DriftScope scope, Inbox& inbox, Absences& absences,
             std::shared_ptr<const KeepersThere> keepers,
             std::function<void(const util::Error&)> on_refused);
  ~DriftWatch();
  DriftWatch(const DriftWatch&) = delete;
  DriftWatch& operator=(const DriftWatch&) = delete;
  /// From here on the runs have looked at what is listed, and only these keep something there.
  void follow(std::shared_ptr<const KeepersThere> keepers);
  /// Null: it is kubist's own.
  const WatchRoom::Seat& seat() const { return m_scope.seat; }

 private:
  using Name = std::pair<std::string, std::string>;  ///< namespace and name of an object
  /// Who wrote an object.
  struct Writers {
    std::string owner_at;    ///< when the owner's node did last: a kubist that ran it
    std::size_t others = 0;  ///< what all others did, and which object it is, in short
  };
  struct Known {
    engine::Key owner;
    std::string resource_version;
    Writers writers;
    std::size_t bytes() const;
  };
  static Writers writers_of(const data::Json& object, std::string_view owner_mark);
  static bool is_owners(const Writers& before, const Writers& now);
  bool is_late();
  bool is_kept(const Name& name, const engine::Key& owner);
  void tell(const Name& name, const engine::Key& owner);
  util::Result<> take(const kube::WatchEvent& event);
  util::Result<> learn(const kube::WatchEvent& event);
  void forget(const Name& name);

  const std::string m_home_uid;
  const DriftScope m_scope;
  Inbox& m_inbox;
  Absences& m_absences;
  std::string m_name;
  kube::WatchOptions m_options;
  std::mutex m_mutex;                             ///< guards what follows
  std::shared_ptr<const KeepersThere> m_keepers;  ///< null: no run has a tree
  KnownObjects<Name, Known> m_known;              ///< of the watch, as the next one
  kube::StandingWatch m_watch;                    ///< last: it uses all of the above
};

}  // namespace kubist::executors
