#include <algorithm>

#include <kubist/data/pointer.hpp>
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

/// Where it stands in the list; -1: it is not there.
std::ptrdiff_t index_of(const Json& object, std::string_view finalizer) {
  const Json* list = finalizers(object);
  if (list == nullptr) {
    return -1;
  }
  const auto found = std::find(list->begin(), list->end(), Json(finalizer));
  return found == list->end() ? -1 : found - list->begin();
}

/// The test of an addition is the whole object's version: two that find no list would otherwise
/// each make one. A removal tests its own entry.
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

Json removal(std::ptrdiff_t index, std::string_view finalizer) {
  const std::string path = util::cat("/metadata/finalizers/", index);
  return Json::array({{{"op", "test"}, {"path", path}, {"value", finalizer}},
                      {{"op", "remove"}, {"path", path}}});
}

/// A failed test of a JSON Patch is 422, a write in between 409, an object that went with its last
/// finalizer 404: read it again.
bool is_outdated(const util::Error& error) {
  return error.http_status == 404 || error.http_status == 409 || error.http_status == 422;
}

}  // namespace

util::Result<std::optional<Json>> Writer::set_finalizer(
    const Target& target, const ApiResource& resource, std::string_view ns, std::string_view name,
    std::string_view finalizer, bool present, std::optional<Json> known) const {
  for (int attempt = 1;; ++attempt) {
    if (!known) {
      KUBIST_TRY(known, target.client.find(resource, ns, name));
    }
    if (!known) {
      return known;
    }
    const std::ptrdiff_t index = index_of(*known, finalizer);
    const bool going = data::find_path(*known, {"metadata", "deletionTimestamp"}) != nullptr;
    // The server takes no new finalizers on an object that is being deleted.
    if ((index >= 0) == present || (present && going)) {
      return known;
    }
    auto after = patch(target, resource, ns, name, PatchType::json,
                       present ? addition(*known, finalizer) : removal(index, finalizer),
                       {.detail = "finalizer"});
    if (after) {
      return after->is_null() ? known : std::optional(*std::move(after));
    }
    if (attempt == k_finalizer_tries || !is_outdated(after.error())) {
      return util::fail(after.error());
    }
    known.reset();
  }
}

}  // namespace kubist::kube
