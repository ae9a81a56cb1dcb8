#pragma once
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/owned.hpp>
#include <kubist/apply/set.hpp>
#include <kubist/data/json.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/writer.hpp>
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

/// More entries than these, or more bytes than a ConfigMap holds, overflow into further ConfigMaps.
inline constexpr std::size_t k_entries_per_config_map = 2000;

/// An inventory as read.
struct Inventory {
  InventoryName name;
  InventoryEntries entries;
  std::string uid;                 ///< of the ConfigMap; empty: there is none yet
  std::string resource_version;    ///< of the ConfigMap
  std::vector<std::string> parts;  ///< names of the further ConfigMaps that it points to
};

/// Reads it; an absent one is empty. Conflict: the ConfigMap is not an inventory, or belongs to
/// another tool. Invalid: its content, or a part of it, is missing or cannot be read.
util::Result<Inventory> read_inventory(kube::Client& client, const InventoryName& name,
                                       std::stop_token stop = {});
/// Stores `entries`, when they differ from the stored ones, and takes them over into `inventory`.
/// Parts are named by their content and written before the ConfigMap that points to them, so that a
/// run that is killed in between leaves the old inventory whole. A dry run tells of what needs no
/// answer of the run: of an inventory that is not there its first ConfigMap alone. No second time.
/// Conflict: somebody else changed it since it was read.
util::Result<> write_inventory(const kube::Writer& writer, const kube::Target& target,
                               Inventory& inventory, InventoryEntries entries);

/// The ConfigMaps of an inventory: the one that is known by its name, and what overflows.
struct InventoryObjects {
  data::Json head;
  std::vector<data::Json> parts;
};
/// Pure, as is its reverse for one ConfigMap.
InventoryObjects inventory_objects(const InventoryName& name, const InventoryEntries& entries);
util::Result<InventoryEntries> inventory_entries(const data::Json& config_map);
/// The names of the parts that the head points to.
std::vector<std::string> inventory_parts(const data::Json& head);
/// Is the part what its name says? Invalid otherwise.
util::Result<> check_part(const InventoryName& name, const data::Json& part);

/// On each object of the set: a label.
OwnerMark set_mark(const InventoryName& name);
std::vector<Recorded> records_of(const InventoryEntries& entries);
/// reason_to_leave(), or an annotation of the object asks to keep it.
std::string reason_to_keep(const Owned& owned, const InventoryName& name);

}  // namespace kubist::apply
