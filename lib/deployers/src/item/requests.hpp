#pragma once
#include <optional>
#include <string>
#include <string_view>

#include <kubist/deployers/item.hpp>
#include <kubist/deployers/world.hpp>

/// Objects are made to be there as an item needs them. Errors of writes are kube::Writer's.
namespace kubist::deployers {

/// The JSON text of a Secret's value; empty is an empty object. Invalid: it is none; the error says
/// where in `origin`, and nothing of the text.
util::Result<Json> json_of_secret(std::string_view text, const std::string& origin);
/// What workloads, templates and Secrets have, where only a value matters: null where the text is
/// no JSON, or nested too deep. Integers beyond 64 bits lose digits, as Jsonnet's do.
Json json_or_null(std::string_view text);

std::string name_of(const Json& object);
std::string ns_of(const Json& object);

/// An Opaque Secret of these metadata and (encoded) data.
Json opaque_secret(Json metadata, Json data);
/// The same, marked as one that items cannot have.
Json internal_secret(Json metadata, Json data);

/// What is known before an object is ensured. Either way it is found where it is.
enum class Before {
  unknown,  ///< look, then make it or mend it
  absent,   ///< make it; look only where that says that it exists
};
/// Of what an item has from its first job on.
Before before_job(const Item& item);

/// An object of the home cluster that values come from; in a dry run as it would be.
util::Result<std::optional<Json>> find_source(World& world, const kube::ApiResource& resource,
                                              std::string_view ns, std::string_view name);

/// Applies a DeployItem over the one that is there (null: none is). The object as it is then.
util::Result<Json> apply_deploy_item(World& world, const Json& wanted, const Json* live);

/// Makes the object, or merges what `desired` says into it where that differs. The object as it is.
util::Result<Json> ensure(World& world, const kube::Target& target,
                          const kube::ApiResource& resource, const Json& desired,
                          Before before = Before::unknown);
/// Why a name cannot be used: what has it is somebody else's.
inline constexpr std::string_view k_name_taken = "NameTaken";
/// Was the Secret that is there made for the owner of `desired` (by its uid, or by the annotations
/// that name it)? Denied, reason k_name_taken.
util::Result<> check_secret_owner(const Json& present, const Json& desired);
/// Makes the Secret, or replaces its data as a whole where it differs (and merges metadata). True
/// when something was written. Denied, reason k_name_taken: it is there and somebody else's.
util::Result<bool> ensure_secret(World& world, const kube::Target& target, const Json& desired,
                                 Before before = Before::unknown);
/// The same of a Secret that was looked for just now.
util::Result<bool> ensure_secret(World& world, const kube::Target& target, const Json& desired,
                                 const std::optional<Json>& present);

}  // namespace kubist::deployers
