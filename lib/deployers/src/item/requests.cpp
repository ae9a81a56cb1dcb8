#include "item/requests.hpp"

#include <algorithm>

#include <kubist/data/compare.hpp>
#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {

std::string name_of(const Json& object) {
  return std::string(data::string_at(object, {"metadata", "name"}));
}
std::string ns_of(const Json& object) {
  return std::string(data::string_at(object, {"metadata", "namespace"}));
}

namespace {

/// The uids go with an owner that is made again under its name, the annotations stay.
bool has_same_owner(const Json& present, const Json& desired) {
  const resources::ObjectView live(present);
  const resources::ObjectView wanted(desired);
  for (const std::string_view key : {k_deploy_item_annotation, resources::k_owner_annotation}) {
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

void tell_change(const World& world, const kube::Target& target, const Json& live, const Json& sent,
                 const Json& after) {
  if (world.changes) {
    world.changes(change_of(world.writer, target, live, sent, after));
  }
}

}  // namespace

util::Result<Json> apply_deploy_item(World& world, const Json& wanted, const Json* live) {
  const kube::Target home{*world.home};
  KUBIST_TRY(Json after, world.writer.apply(home, deploy_items(), wanted, {.live = live}));
  if (live != nullptr) {
    tell_change(world, home, *live, wanted, after);
  }
  return after;
}

util::Result<std::optional<Json>> find_source(World& world, const kube::ApiResource& resource,
                                              std::string_view ns, std::string_view name) {
  if (world.planned) {
    if (auto planned = world.planned(resource.kind, ns, name)) {
      return planned;
    }
  }
  return world.home->find(resource, ns, name, world.stop);
}

util::Result<> check_secret_owner(const Json& present, const Json& desired) {
  if (has_same_owner(present, desired)) {
    return {};
  }
  return util::fail(util::ErrorKind::denied,
                    util::cat("Secret ", ns_of(desired), "/", name_of(desired),
                              " is needed, but another owner has one of that name"),
                    "Rename or delete that Secret, or give what needs it another name.",
                    std::string(k_name_taken));
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

Before before_job(const Item& item) {
  return data::string_at(item.object, {"status", "jobIDFinished"}).empty() ? Before::absent
                                                                           : Before::unknown;
}

util::Result<Json> ensure(World& world, const kube::Target& target,
                          const kube::ApiResource& resource, const Json& desired, Before before) {
  const std::string ns = ns_of(desired);
  const std::string name = name_of(desired);
  std::optional<Json> present;
  if (before == Before::unknown) {
    KUBIST_TRY(present, target.client.find(resource, ns, name));
  }
  if (!present) {
    auto made = world.writer.create(target, resource, desired);
    if (made || !kube::already_exists(made.error())) {
      return made;
    }
    KUBIST_TRY(present, target.client.find(resource, ns, name));
  }
  if (present && data::contains_all(*present, desired)) {
    return *std::move(present);
  }
  KUBIST_TRY(Json after,
             world.writer.patch(target, resource, ns, name, kube::PatchType::merge, desired));
  if (present) {  // not where it was deleted after it was found to be there
    tell_change(world, target, *present, desired, after);
  }
  return after;
}

util::Result<bool> ensure_secret(World& world, const kube::Target& target, const Json& desired,
                                 Before before) {
  std::optional<Json> present;
  if (before == Before::unknown) {
    KUBIST_TRY(present,
               target.client.find(kube::well_known::secrets(), ns_of(desired), name_of(desired)));
  }
  return ensure_secret(world, target, desired, present);
}

util::Result<bool> ensure_secret(World& world, const kube::Target& target, const Json& desired,
                                 const std::optional<Json>& present) {
  const auto& secrets = kube::well_known::secrets();
  if (!present) {
    const auto made = world.writer.create(target, secrets, desired);
    if (made) {
      return true;
    }
    if (!kube::already_exists(made.error())) {
      return util::fail(made.error());
    }
    KUBIST_TRY(Json found,
               target.client.json(kube::get(secrets, ns_of(desired), name_of(desired))));
    return ensure_secret(world, target, desired, std::optional(std::move(found)));
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
  KUBIST_TRY(const Json after, world.writer.patch(target, secrets, ns_of(desired), name_of(desired),
                                                  kube::PatchType::merge, patch));
  tell_change(world, target, *present, patch, after);
  return true;
}

util::Result<Json> json_of_secret(std::string_view text, const std::string& origin) {
  auto value = data::parse_json(text.empty() ? "{}" : text, origin);
  return value ? std::move(value)
               : util::fail(data::place_alone(value.error(), "the Secret's value is not JSON"));
}

Json json_or_null(std::string_view text) {
  return data::parse_json(text, "text", {.big_integers = data::BigIntegers::as_float})
      .value_or(Json());
}

}  // namespace kubist::deployers
