#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/apply/remove.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/room.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/result.hpp>

/// What an owner made, and what of it the owner may delete. Each owner keeps its records where it
/// likes: an inventory ConfigMap, a status. All follow one rule: an object is recorded before it is
/// made and carries its owner's mark; it is deleted only where record, mark and uid agree; and its
/// record stays until the server was seen not to have it, or to have another's in its place.
namespace kubist::apply {

/// The label or annotation by which an owner marks what it makes.
struct OwnerMark {
  enum class On { label, annotation };
  On on = On::label;
  std::string key;
  std::string value;  ///< never empty
};
bool has_mark(const data::Json& live, const OwnerMark& mark);

/// What an owner remembers of one object.
struct Recorded {
  resources::ObjectRef ref;
  std::string api_version;  ///< it was made with
  std::string uid;          ///< empty: recorded before it was made
};

/// A record, and what the server has in its place.
struct Owned {
  Recorded recorded;
  kube::ApiResource resource;  ///< empty: the server has no such kind
  data::Json live;             ///< null: gone, perhaps with its kind
};

/// Reads what the records stand for, many at once, in their order. A version that is served no more
/// is read by another of its group. `form`: object or metadata.
/// Each error says that nobody knows whether that object is there: unavailable where the server of
/// its API group does not answer, cancelled on stop, those of the read and of `reservation`, where
/// the objects take their memory (null: they take what they need).
std::vector<util::Result<Owned>> find_owned(kube::Client& client,
                                            const std::vector<Recorded>& records, kube::Form form,
                                            const std::stop_token& stop = {},
                                            kube::Reservation* reservation = nullptr);

/// Why the owner of that mark must leave the live object where it is; empty: it may delete it.
std::string reason_to_leave(const Recorded& recorded, const data::Json& live,
                            const OwnerMark& mark);

/// To delete a live one, with its uid as precondition.
Target target_of(const Owned& owned);

}  // namespace kubist::apply
