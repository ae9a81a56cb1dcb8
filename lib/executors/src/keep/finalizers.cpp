#include "keep/finalizers.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {

Json finalizer_patch(const Json& live, std::string_view finalizer, bool present) {
  const Json* list = data::find_path(live, {"metadata", "finalizers"});
  Json wanted = list != nullptr ? *list : Json::array();
  if (present) {
    wanted.push_back(finalizer);
  } else {
    wanted.erase(std::remove(wanted.begin(), wanted.end(), Json(finalizer)), wanted.end());
  }
  Json patch = Json::array();
  patch.push_back({{"op", "test"},
                   {"path", "/metadata/resourceVersion"},
                   {"value", resources::ObjectView(live).resource_version()}});
  patch.push_back({{"op", "add"}, {"path", "/metadata/finalizers"}, {"value", wanted}});
  return patch;
}

}  // namespace

util::Result<> set_finalizer(kube::Client& client, const kube::ApiResource& resource,
                             const std::string& ns, const std::string& name,
                             std::string_view finalizer, bool present, const SendCall& send) {
  for (int attempt = 1;; ++attempt) {
    KUBIST_TRY(const auto live, client.find(resource, ns, name));
    if (!live || resources::ObjectView(*live).has_finalizer(finalizer) == present) {
      return {};
    }
    if (present && !resources::ObjectView(*live).deletion_timestamp().empty()) {
      return {};  // the server takes no new finalizers on an object that is being deleted
    }
    kube::WriteOptions options;
    options.field_manager = k_status_manager;
    auto sent = send(kube::patch(resource, ns, name, kube::PatchType::json,
                                 finalizer_patch(*live, finalizer, present), options));
    // A failed test is 422, somebody else's write in between 409, an object that went with it 404:
    // read it again.
    const int status = sent ? 200 : sent.error().http_status;
    if (attempt == 5 || (status != 404 && status != 409 && status != 422)) {
      return sent;
    }
  }
}

util::Result<> set_finalizer(Work& work, kube::Client& client, const kube::ApiResource& resource,
                             const std::string& ns, const std::string& name,
                             std::string_view finalizer, bool present) {
  return set_finalizer(
      client, resource, ns, name, finalizer, present, [&](const kube::ApiCall& call) {
        return work.send(
            client, "", call, "patch",
            cat(resource.api_version(), ' ', resource.kind, '/', name, " (finalizer)"));
      });
}

}  // namespace kubist::executors
