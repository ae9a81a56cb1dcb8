#pragma once
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/set.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/result.hpp>

namespace kubist::apply {

// ApplySet v1 (KEP-3659).
inline constexpr std::string_view k_applyset_id_label = "applyset.kubernetes.io/id";
inline constexpr std::string_view k_applyset_part_of = "applyset.kubernetes.io/part-of";
inline constexpr std::string_view k_applyset_tooling = "applyset.kubernetes.io/tooling";
inline constexpr std::string_view k_applyset_kinds = "applyset.kubernetes.io/contains-group-kinds";
inline constexpr std::string_view k_applyset_namespaces =
    "applyset.kubernetes.io/additional-namespaces";

/// "applyset-<base64url(sha256("name.namespace.kind.group"))>-v1" of a ConfigMap.
std::string applyset_id(const InventoryName& name);

/// What is known about one object of a set.
struct InventoryEntry {
  std::string api_version;  ///< it was applied with
  std::string uid;          ///< empty: noted before it was made
  bool operator==(const InventoryEntry&) const = default;
};

/// The objects of a set as they were last applied.
using InventoryEntries = std::map<resources::ObjectRef, InventoryEntry>;

/// An inventory as stored.
struct Inventory {
  InventoryName name;
  InventoryEntries entries;
  std::string uid;               ///< of the ConfigMap; empty: there is none yet
  std::string resource_version;  ///< of the ConfigMap
};

/// Reads it; an absent one is empty. Conflict: the ConfigMap is not an inventory, or belongs to
/// another tool. Invalid: its content cannot be read.
util::Result<Inventory> read_inventory(kube::Client& client, const InventoryName& name,
                                       std::stop_token stop = {});
/// Stores `entries`, when they differ from the stored ones, and takes them over into `inventory`.
/// Conflict: somebody else changed it since it was read. `manager` is the field manager.
util::Result<> write_inventory(kube::Client& client, Inventory& inventory, InventoryEntries entries,
                               std::string_view manager, std::stop_token stop = {});

/// The ConfigMap of an inventory and back. Pure.
data::Json inventory_object(const InventoryName& name, const InventoryEntries& entries);
util::Result<InventoryEntries> inventory_entries(const data::Json& config_map);

/// May a stale entry's object be deleted?
struct PruneDecision {
  enum class Action { remove, keep, gone } action = Action::keep;
  std::string reason;  ///< why it is kept
};

/// `live` (its metadata suffice) is null when the object is gone. Deleting needs the entry, the
/// label and the recorded uid to agree; annotations that ask to keep an object are honoured.
PruneDecision decide_prune(const InventoryEntry& entry, std::string_view set_id,
                           const data::Json* live);

}  // namespace kubist::apply
