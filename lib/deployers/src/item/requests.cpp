#include "item/requests.hpp"

#include <algorithm>

#include <kubist/data/compare.hpp>
#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {

std::string name_of(const Json& object) {
  return std::string(data::string_at(object, {"metadata", "name"}));
}
std::string ns_of(const Json& object) {
  return std::string(data::string_at(object, {"metadata", "namespace"}));
}

std::string item_title(const Json& deploy_item) {
  return util::cat(deploy_items().api_version(), " DeployItem/", ns_of(deploy_item), "/",
                   name_of(deploy_item));
}

namespace {

util::Result<> may_write(const World& world) {
  return world.may_write ? world.may_write() : util::Result<>{};
}

void report(const World& world, const Site& site, std::string verb,
            const kube::ApiResource& resource, std::string_view ns, std::string_view name) {
  if (world.on_write) {
    world.on_write({std::move(verb),
                    util::cat(resource.api_version(), " ", resource.kind, "/",
                              ns.empty() ? "" : util::cat(ns, "/"), name),
                    site.cluster});
  }
}

/// The uids go with an owner that is made again under its name, the annotations stay.
bool has_same_owner(const Json& present, const Json& desired) {
  const resources::ObjectView live(present);
  const resources::ObjectView wanted(desired);
  for (const std::string_view key : {"kubist.io/deployitem", "kubist.io/owner"}) {
    if (!wanted.annotation(key).empty() && live.annotation(key) == wanted.annotation(key)) {
      return true;
    }
  }
  const auto live_owners = live.owners();
  for (const auto& owner : wanted.owners()) {
    if (std::any_of(live_owners.begin(), live_owners.end(),
                    [&](const auto& one) { return one.uid == owner.uid; })) {
      return true;
    }
  }
  return !wanted.label(k_item_label).empty() &&
         live.label(k_item_label) == wanted.label(k_item_label);
}

}  // namespace

util::Result<> check_secret_owner(const Json& present, const Json& desired) {
  if (has_same_owner(present, desired)) {
    return {};
  }
  util::Error error =
      util::make_error(util::ErrorKind::denied,
                       util::cat("Secret ", ns_of(desired), "/", name_of(desired),
                                 " is needed, but the one of that name is somebody else's"),
                       "Rename or delete that Secret, or give what needs it another name.");
  error.reason = k_name_taken;
  return util::fail(std::move(error));
}

Json opaque_secret(Json metadata, Json data) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"type", "Opaque"},
          {"metadata", std::move(metadata)},
          {"data", std::move(data)}};
}

Json internal_secret(Json metadata, Json data) {
  metadata["labels"][std::string(k_internal_label)] = "true";
  return opaque_secret(std::move(metadata), std::move(data));
}

util::Result<Json> create(World& world, const Site& site, const kube::ApiResource& resource,
                          const Json& object) {
  KUBIST_CHECK(may_write(world));
  kube::ApiCall call = kube::create(resource, object, {.field_manager = world.field_manager});
  call.permit = world.permit;
  KUBIST_TRY(Json made, site.client.json(call));
  report(world, site, "create", resource, ns_of(object), name_of(object));
  return made;
}

util::Result<> apply_deploy_item(World& world, const Json& deploy_item) {
  KUBIST_CHECK(may_write(world));
  kube::ApplyOptions options;
  options.field_manager = world.field_manager;
  kube::ApiCall call = kube::apply(deploy_items(), deploy_item, options);
  call.permit = world.permit;
  KUBIST_CHECK(world.home->run(call));
  report(world, {*world.home, ""}, "apply", deploy_items(), ns_of(deploy_item),
         name_of(deploy_item));
  return {};
}

util::Result<Json> merge(World& world, const Site& site, const kube::ApiResource& resource,
                         const std::string& ns, const std::string& name, const Json& patch,
                         const std::string& subresource) {
  KUBIST_CHECK(may_write(world));
  const bool status = subresource == "status";
  kube::ApiCall call =
      kube::patch(resource, ns, name, kube::PatchType::merge, patch,
                  {.field_manager = status ? std::string("kubist-status") : world.field_manager,
                   .subresource = subresource});
  call.permit = world.permit;
  KUBIST_TRY(Json made, site.client.json(call));
  report(world, site, status ? "patch status" : "patch", resource, ns, name);
  return made;
}

Before before_job(const Item& item) {
  return data::string_at(item.object, {"status", "jobIDFinished"}).empty() ? Before::absent
                                                                           : Before::unknown;
}

util::Result<Json> ensure(World& world, const Site& site, const kube::ApiResource& resource,
                          const Json& desired, Before before) {
  const std::string ns = ns_of(desired);
  const std::string name = name_of(desired);
  std::optional<Json> present;
  if (before == Before::unknown) {
    KUBIST_TRY(present, site.client.find(resource, ns, name));
  }
  if (!present) {
    auto made = create(world, site, resource, desired);
    if (made || !kube::already_exists(made.error())) {
      return made;
    }
    KUBIST_TRY(present, site.client.find(resource, ns, name));
  }
  if (present && data::contains_all(*present, desired)) {
    return *std::move(present);
  }
  return merge(world, site, resource, ns, name, desired);
}

util::Result<bool> ensure_secret(World& world, const Site& site, const Json& desired,
                                 Before before) {
  std::optional<Json> present;
  if (before == Before::unknown) {
    KUBIST_TRY(present,
               site.client.find(kube::well_known::secrets(), ns_of(desired), name_of(desired)));
  }
  return ensure_secret(world, site, desired, present);
}

util::Result<bool> ensure_secret(World& world, const Site& site, const Json& desired,
                                 const std::optional<Json>& present) {
  const auto& secrets = kube::well_known::secrets();
  if (!present) {
    const auto made = create(world, site, secrets, desired);
    if (made) {
      return true;
    }
    if (!kube::already_exists(made.error())) {
      return util::fail(made.error());
    }
    KUBIST_TRY(Json found,
               site.client.json(kube::get(secrets, ns_of(desired), name_of(desired))));
    return ensure_secret(world, site, desired, std::optional(std::move(found)));
  }
  KUBIST_CHECK(check_secret_owner(*present, desired));
  const Json data = present->value("data", Json::object());
  if (data == desired["data"] && data::contains_all(*present, desired)) {
    return false;
  }
  Json patch = desired;
  for (const auto& [key, value] : data.items()) {
    if (!patch["data"].contains(key)) {
      patch["data"][key] = nullptr;
    }
  }
  patch["metadata"]["uid"] = data::string_at(*present, {"metadata", "uid"});
  KUBIST_CHECK(merge(world, site, secrets, ns_of(desired), name_of(desired), patch));
  return true;
}

util::Result<bool> remove(World& world, const Site& site, const kube::ApiResource& resource,
                          const std::string& ns, const std::string& name, const std::string& uid) {
  KUBIST_CHECK(may_write(world));
  kube::DeleteOptions options;
  options.uid = uid;
  kube::ApiCall call = kube::remove(resource, ns, name, options);
  call.permit = world.permit;
  const auto reply = site.client.run(call);
  if (!reply) {
    if (reply.error().kind == util::ErrorKind::not_found) {
      return false;
    }
    return util::fail(reply.error());
  }
  report(world, site, "delete", resource, ns, name);
  return true;
}

util::Result<Json> json_of_secret(std::string_view text, const std::string& origin) {
  auto value = data::parse_json(text.empty() ? "{}" : text, origin);
  return value ? std::move(value)
               : util::fail(data::place_alone(value.error(), "the Secret's value is not JSON"));
}

}  // namespace kubist::deployers
