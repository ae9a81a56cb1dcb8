#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <kubist/apply/owned.hpp>
#include <kubist/engine/executor.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/resources/object.hpp>

#include "keep/inventory_book.hpp"
#include "keep/traffic_place.hpp"

namespace kubist::executors {

/// How often a write is tried that somebody else's writes come before, each time after a new look.
inline constexpr int k_max_attempts = 20;

/// One object that a node keeps.
struct Wish {
  kube::ApiResource resource;
  std::string name;
  data::Json body;                                ///< all but apiVersion, kind and metadata
  data::Json annotations = data::Json::object();  ///< besides kubist's own
  data::Json labels = data::Json::object();       ///< likewise
  std::string ns = {};                            ///< empty: the place's
  bool whole_spec = false;                        ///< nobody else may add fields to its spec
};

/// One whose spec is only kubist's.
Wish spec_wish(const kube::ApiResource& resource, std::string name, data::Json spec,
               data::Json annotations = data::Json::object());

/// What still needs an object that is about to go, as "Kind/name"; empty: nothing does.
using Users =
    std::function<std::vector<std::string>(const std::string& kind, const std::string& name)>;

/// Does deletionPolicy Orphan count? It is about what goes with its node.
enum class Orphans { by_policy, none };

/// The objects that one node keeps in its place: made and changed by server-side apply, found
/// again by the inventory, deleted only where inventory, owner annotation and uid agree. An object
/// of somebody else is never touched. For one call of an executor.
class OwnedObjects {
 public:
  OwnedObjects(Work& work, const TrafficPlace& place);
  /// With an inventory of that book, which may be newer than the node's.
  OwnedObjects(Work& work, const TrafficPlace& place, const data::Json& inventory,
               InventoryBook book = {});

  /// Makes them so, in this order; returns them as they are live (null: somebody deleted it, and
  /// drift is Report). All are in the inventory before the
  /// first is made. What somebody else changed of ours is put back, or (drift: Report) left.
  /// Invalid: ObjectExists, ObjectTaken (somebody else's); unavailable: ObjectTerminating;
  /// conflict: it changed under every attempt.
  util::Result<std::vector<data::Json>> keep(const std::vector<Wish>& wishes);

  /// What the inventory has, as it is live and as long as it is ours.
  util::Result<std::vector<data::Json>> live();

  /// Deletes what the inventory has and keep() was not given, last made first. What has users stays
  /// for now.
  util::Result<> prune(const Users& users = {});

  /// Condition Drifted, by what keep() saw.
  resources::Condition drift_condition() const;
  bool drifted() const { return !m_drift.empty(); }
  /// The inventory as it is now; null: empty.
  data::Json inventory() const;

  /// Takes all away, last made first; deletionPolicy Orphan, where it counts, lets go of it
  /// instead. Running while something is in use or not gone yet.
  util::Result<engine::Removal> remove_all(const Users& users = {},
                                           Orphans orphans = Orphans::by_policy);

 private:
  enum class Fate { gone, going, foreign };
  util::Result<data::Json> keep_one(const Wish& wish);
  util::Result<std::optional<data::Json>> make_unseen(const Wish& wish);
  util::Result<std::optional<data::Json>> attempt(const Wish& wish);
  util::Result<std::optional<data::Json>> change(const Wish& wish, data::Json object,
                                                 const data::Json& live, const std::string& why);
  util::Result<> check_owner(const Wish& wish, const data::Json& live) const;
  util::Result<> take_away_fields(const Wish& wish, const data::Json& live,
                                  const std::vector<std::string>& fields);
  util::Result<> record(const std::vector<Wish>& wishes);
  util::Result<apply::Owned> find(const apply::Recorded& entry, kube::Client& client);
  bool is_ours(const apply::Owned& found) const;
  util::Result<Fate> drop(const apply::Recorded& entry, bool orphan);
  util::Result<> release(const apply::Owned& found);
  void note_live(const Wish& wish, const data::Json& live);
  data::Json wanted(const Wish& wish) const;
  resources::ObjectRef ref_of(const Wish& wish) const;
  apply::Recorded* recorded(const resources::ObjectRef& ref);

  Work& m_work;
  const TrafficPlace& m_place;
  InventoryBook m_book;
  bool m_repair;
  std::vector<apply::Recorded> m_entries;  ///< the inventory
  std::vector<std::string> m_drift;        ///< what somebody else changed and was left
  std::vector<resources::ObjectRef> m_kept;
};

}  // namespace kubist::executors
