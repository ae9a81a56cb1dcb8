#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/result.hpp>

namespace kubist::deployers {

using data::Json;

/// The resource landscaper.gardener.cloud/v1alpha1 deployitems.
const kube::ApiResource& deploy_items();

inline constexpr std::string_view k_finalizer = "kubist.io/deployer";
inline constexpr std::string_view k_internal_label = "kubist.io/internal";
inline constexpr std::string_view k_item_label = "kubist.io/deployitem-uid";
inline constexpr std::string_view k_deploy_item_annotation =
    "kubist.io/deployitem";  ///< "namespace/name"
/// On each object that a manifest or helm item makes: the item's uid, so that two items never take
/// each other's objects for their own. (Not k_item_label: what has that goes when its item has
/// vanished.)
inline constexpr std::string_view k_managed_label = "kubist.io/managed-by-item";
/// How the field managers begin under which such items apply.
inline constexpr std::string_view k_item_manager = "kubist-item";
/// On a DeployItem: its deletion runs and undoes nothing.
inline constexpr std::string_view k_without_uninstall =
    "landscaper.gardener.cloud/delete-without-uninstall";
/// The same in the words of upstream's container deployer.
inline constexpr std::string_view k_force_cleanup =
    "container.deployer.landscaper.gardener.cloud/force-cleanup";

/// Is that Secret kubist's own (logs, state, imports of items), or does it give access to a
/// cluster? No item and no Execution may read such a one.
bool is_off_limits(const resources::ObjectView& secret);

/// Is that a name that kubist gives such Secrets? One that is not there yet may become one.
bool is_off_limits_name(std::string_view secret);

/// Does it hold exports of an item that chose its name (spec.export.secretRef)? It is the item's
/// word under a name that others may wait for: an administrator, or a Cluster.
bool is_export_by_choice(const resources::ObjectView& secret);

/// A DeployItem as a deployer sees it, whichever generation of the fields it was written in: the
/// early one (import.secretRef, providerConfig) or today's (config with importValues).
struct Item {
  std::string name, ns, uid;
  std::int64_t generation = 0;
  std::string type;    ///< as written
  std::string target;  ///< a VirtualCluster; empty: home
  Json config = Json::object();
  std::string import_secret, import_key;             ///< empty secret: none; empty key: all keys
  std::optional<Json> import_values;                 ///< config.importValues
  std::optional<std::chrono::seconds> timeout{600};  ///< nothing: `none`
  bool update_on_change_only = false;
  bool without_uninstall = false;
  std::string export_secret, export_key;    ///< where its exports go
  Json export_schema;                       ///< or null
  std::vector<std::string> public_exports;  ///< keys
  bool deleting = false;
  Json object;  ///< as read, status included
};

/// Reads a DeployItem. Invalid, with a reason of its own: no type, config and providerConfig both,
/// a timeout that is none, an export Secret of a name that kubist gives others (SecretNotAllowed).
util::Result<Item> parse_item(const Json& object);

/// spec.serviceAccountName: as which account of its namespace an item of no project acts. Empty: it
/// names none.
std::string service_account_of(const Json& deploy_item);

/// Does the item's pod run in the item's own namespace at home, whatever its target is
/// (config.placement)?
bool runs_at_home(const Item& item);

/// A name of at most `limit` characters that starts with `base` and ends with a hash of `identity`:
/// the same for the same input, different for different identities.
std::string short_name(std::string_view base, std::string_view identity, std::size_t limit = 63);

/// The name as the value of a label, shortened where it is too long for one.
std::string label_value(std::string_view name);

/// Names of what an item keeps at home: NAME-export, NAME-logs, NAME-import, NAME-last (shortened
/// with a hash where they would be too long).
std::string home_export_name(std::string_view item);
std::string home_logs_name(std::string_view item);
std::string home_import_name(std::string_view item);
std::string home_last_name(std::string_view item);
/// The Secret with what an Execution exports.
std::string execution_exports_name(std::string_view execution);

}  // namespace kubist::deployers
