#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/deployers/item.hpp>
#include <kubist/deployers/world.hpp>

/// Writes with their reports; one place that asks World::may_write first.
namespace kubist::deployers {

/// The JSON text of a Secret's value; empty is an empty object. Invalid: it is none; the error says
/// where in `origin`, and nothing of the text.
util::Result<Json> json_of_secret(std::string_view text, const std::string& origin);

/// A cluster to write to: home, or a Place.
struct Site {
  kube::Client& client;
  std::string cluster;  ///< for reports; empty: home
};

std::string name_of(const Json& object);
std::string ns_of(const Json& object);
/// "landscaper.gardener.cloud/v1alpha1 DeployItem/NS/NAME", for reports.
std::string item_title(const Json& deploy_item);

/// An Opaque Secret of these metadata and (encoded) data.
Json opaque_secret(Json metadata, Json data);
/// The same, marked as one that items cannot have.
Json internal_secret(Json metadata, Json data);

util::Result<Json> create(World& world, const Site& site, const kube::ApiResource& resource,
                          const Json& object);
/// What is known before an object is ensured. Either way it is found where it is.
enum class Before {
  unknown,  ///< look, then make it or mend it
  absent,   ///< make it; look only where that says that it exists
};
/// Of what an item has from its first job on.
Before before_job(const Item& item);

/// Makes the object, or merges what `desired` says into it where that differs. The object as it is.
util::Result<Json> ensure(World& world, const Site& site, const kube::ApiResource& resource,
                          const Json& desired, Before before = Before::unknown);
/// Why a name cannot be used: what has it is somebody else's.
inline constexpr std::string_view k_name_taken = "NameTaken";
/// Was the Secret that is there made for the owner of `desired` (by its uid, or by the annotations
/// that name it)? Denied, reason k_name_taken.
util::Result<> check_secret_owner(const Json& present, const Json& desired);
/// Makes the Secret, or replaces its data as a whole where it differs (and merges metadata). True
/// when something was written. Denied, reason k_name_taken: it is there and somebody else's.
util::Result<bool> ensure_secret(World& world, const Site& site, const Json& desired,
                                 Before before = Before::unknown);
/// The same of a Secret that was looked for just now.
util::Result<bool> ensure_secret(World& world, const Site& site, const Json& desired,
                                 const std::optional<Json>& present);
/// Server-side apply of a DeployItem at home.
util::Result<> apply_deploy_item(World& world, const Json& deploy_item);
util::Result<Json> merge(World& world, const Site& site, const kube::ApiResource& resource,
                         const std::string& ns, const std::string& name, const Json& patch,
                         const std::string& subresource = {});
/// True when it had been there.
util::Result<bool> remove(World& world, const Site& site, const kube::ApiResource& resource,
                          const std::string& ns, const std::string& name,
                          const std::string& uid = {});

}  // namespace kubist::deployers
