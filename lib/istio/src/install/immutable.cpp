#include <algorithm>

#include <kubist/apply/read.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/istio/preflight.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

using data::Json;
using resources::Manifest;
using resources::ObjectView;
using util::cat;

namespace {

bool may_be_immutable(const ObjectView& view) {
  const std::string_view kind = view.kind();
  const bool workload = kind == "Deployment" || kind == "DaemonSet";
  return kind == "CustomResourceDefinition" || kind == "ClusterRoleBinding" ||
         kind == "RoleBinding" || (workload && view.label("app") != "istiod");
}

bool has_version(const Json& crd, const Json& name) {
  const Json& versions = data::array_at(crd, {"spec", "versions"});
  return std::any_of(versions.begin(), versions.end(), [&](const Json& each) {
    return data::find_path(each, {"name"}) != nullptr && *data::find_path(each, {"name"}) == name;
  });
}

// KX: pkg/apis/apiextensions/validation/validation.go refuses such a CRD.
std::optional<Obstacle> lost_version(const Json& wanted, const Json& live) {
  for (const Json& stored : data::array_at(live, {"status", "storedVersions"})) {
    if (stored.is_string() && !has_version(wanted, stored)) {
      const std::string name(ObjectView(live).name());
      return Obstacle{cat("stored-version:", name),
                      cat("objects of ", name, " may be stored as ", stored.get<std::string>(),
                          ", a version that these manifests no longer have"),
                      "install a release whose CRDs have that version, and migrate the objects "
                      "first"};
    }
  }
  return std::nullopt;
}

std::optional<Obstacle> changed(const Json& wanted, const Json& live,
                                std::initializer_list<std::string_view> path, const char* code,
                                const char* what) {
  const Json* before = data::find_path(live, path);
  const Json* after = data::find_path(wanted, path);
  if (before == nullptr || after == nullptr || *before == *after) {
    return std::nullopt;
  }
  const std::string name = resources::to_string(ObjectView(live).ref());
  return Obstacle{cat(code, ':', name),
                  cat("the ", what, " of ", name, " differs, and Kubernetes lets none change"),
                  "install it as a new revision, or delete that object first"};
}

}  // namespace

std::optional<Obstacle> find_immutable(const Json& wanted, const Json& live) {
  const std::string_view kind = ObjectView(wanted).kind();
  if (kind == "CustomResourceDefinition") {
    return lost_version(wanted, live);
  }
  if (kind == "Deployment" || kind == "DaemonSet") {
    return changed(wanted, live, {"spec", "selector"}, "selector-changed", "selector");
  }
  auto found = changed(wanted, live, {"roleRef", "name"}, "role-changed", "role");
  return found ? found : changed(wanted, live, {"roleRef", "kind"}, "role-changed", "role");
}

util::Result<std::vector<Obstacle>> check_immutable(kube::Client& client, const Bundle& bundle,
                                                    const std::stop_token& stop) {
  std::vector<const Json*> wanted;
  std::vector<apply::Lookup> lookups;
  for (const Manifest& manifest : bundle.manifests) {
    const ObjectView view(manifest.object);
    if (may_be_immutable(view)) {
      KUBIST_TRY(auto resource,
                 client.discovery().find_kind(view.api_version(), view.kind(), stop));
      lookups.push_back({std::move(resource), std::string(view.ns()), std::string(view.name())});
      wanted.push_back(&manifest.object);
    }
  }
  KUBIST_TRY(const auto live, apply::read_objects(client, lookups, stop));
  std::vector<Obstacle> found;
  for (std::size_t at = 0; at < live.size(); ++at) {
    if (auto obstacle = live[at] ? find_immutable(*wanted[at], *live[at]) : std::nullopt) {
      found.push_back(std::move(*obstacle));
    }
  }
  return found;
}

}  // namespace kubist::istio
