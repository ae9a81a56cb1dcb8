#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {
namespace {

using data::Json;

constexpr int k_finalizer_tries = 5;

const Json* finalizers(const Json& object) {
  const Json* list = data::find_path(object, {"metadata", "finalizers"});
  return list != nullptr && list->is_array() ? list : nullptr;
}

bool has_finalizer(const Json& object, std::string_view finalizer) {
  const Json* list = finalizers(object);
  return list != nullptr && std::find(list->begin(), list->end(), Json(finalizer)) != list->end();
}

std::string uid_of(const Json& object) {
  return std::string(data::string_at(object, {"metadata", "uid"}));
}

/// The test is the whole object's version: two that find no list would otherwise each make one.
Json addition(const Json& live, std::string_view finalizer) {
  Json patch = Json::array({{{"op", "test"},
                             {"path", "/metadata/resourceVersion"},
                             {"value", data::string_at(live, {"metadata", "resourceVersion"})}}});
  if (finalizers(live) == nullptr) {
    patch.push_back(
        {{"op", "add"}, {"path", "/metadata/finalizers"}, {"value", Json::array({finalizer})}});
  } else {
    patch.push_back({{"op", "add"}, {"path", "/metadata/finalizers/-"}, {"value", finalizer}});
  }
  return patch;
}

/// Tests the object and each entry: it goes through though another part of the object changed. From
/// the last entry on, so that the places of the others hold: it may stand there twice.
Json removal(const Json& live, std::string_view finalizer) {
  Json patch = Json::array({{{"op", "test"}, {"path", "/metadata/uid"}, {"value", uid_of(live)}}});
  const Json& list = *finalizers(live);
  for (std::size_t at = list.size(); at-- > 0;) {
    if (list[at] == Json(finalizer)) {
      const std::string path = util::cat("/metadata/finalizers/", at);
      patch.push_back({{"op", "test"}, {"path", path}, {"value", finalizer}});
      patch.push_back({{"op", "remove"}, {"path", path}});
    }
  }
  return patch;
}

}  // namespace

util::Result<std::optional<Json>> Writer::set_finalizer(const Target& target,
                                                        const ApiResource& resource,
                                                        std::string_view ns, std::string_view name,
                                                        std::string_view finalizer, bool present,
                                                        std::optional<Json> known) const {
  std::string uid = known ? uid_of(*known) : "";
  for (int attempt = 1;; ++attempt) {
    if (!known) {
      KUBIST_TRY(known, target.client.find(resource, ns, name));
    }
    // Another object under that name is not the one that was looked at.
    if (!known || (!uid.empty() && uid != uid_of(*known))) {
      return std::optional<Json>();
    }
    uid = uid_of(*known);
    const bool going = data::find_path(*known, {"metadata", "deletionTimestamp"}) != nullptr;
    // The server takes no new finalizers on an object that is being deleted.
    if (has_finalizer(*known, finalizer) == present || (present && going)) {
      return known;
    }
    auto after = patch(target, resource, ns, name, PatchType::json,
                       present ? addition(*known, finalizer) : removal(*known, finalizer),
                       {.detail = "finalizer"});
    if (after) {
      return after->is_null() ? known : std::optional(*std::move(after));
    }
    // An object that went with its last finalizer is not found: seen when it is read again.
    const bool again =
        may_be_outdated(after.error()) || after.error().kind == util::ErrorKind::not_found;
    if (attempt == k_finalizer_tries || !again) {
      return util::fail(after.error());
    }
    known.reset();
  }
}

}  // namespace kubist::kube
