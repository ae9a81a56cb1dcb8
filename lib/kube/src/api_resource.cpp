#include <kubist/kube/api_resource.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

ApiResource make(std::string group, std::string version, std::string kind, std::string plural,
                 bool namespaced, std::vector<std::string> subresources = {}) {
  ApiResource resource;
  resource.group = std::move(group);
  resource.version = std::move(version);
  resource.kind = std::move(kind);
  resource.plural = std::move(plural);
  resource.singular = util::lower(resource.kind);
  resource.namespaced = namespaced;
  resource.verbs = {"create", "delete", "deletecollection", "get",
                    "list",   "patch",  "update",           "watch"};
  resource.subresources = std::move(subresources);
  return resource;
}

}  // namespace

std::string ApiResource::api_version() const {
  return group.empty() ? version : util::cat(group, '/', version);
}

std::string ApiResource::group_resource() const {
  return group.empty() ? plural : util::cat(plural, '.', group);
}

bool ApiResource::has_verb(std::string_view verb) const { return contains(verbs, verb); }
bool ApiResource::has_subresource(std::string_view name) const {
  return contains(subresources, name);
}

std::string ApiResource::collection_path(std::string_view ns) const {
  const std::string base =
      group.empty() ? util::cat("/api/", version) : util::cat("/apis/", group, '/', version);
  if (!namespaced || ns.empty()) {
    return util::cat(base, '/', plural);
  }
  return util::cat(base, "/namespaces/", util::percent_encode(ns), '/', plural);
}

std::string ApiResource::path(std::string_view ns, std::string_view name,
                              std::string_view subresource) const {
  return util::cat(collection_path(ns), '/', util::percent_encode(name),
                   subresource.empty() ? "" : "/", subresource);
}

namespace well_known {

const ApiResource& namespaces() {
  static const auto resource =
      make("", "v1", "Namespace", "namespaces", false, {"finalize", "status"});
  return resource;
}
const ApiResource& pods() {
  static const auto resource = make("", "v1", "Pod", "pods", true, {"eviction", "log", "status"});
  return resource;
}
const ApiResource& secrets() {
  static const auto resource = make("", "v1", "Secret", "secrets", true);
  return resource;
}
const ApiResource& config_maps() {
  static const auto resource = make("", "v1", "ConfigMap", "configmaps", true);
  return resource;
}
const ApiResource& services() {
  static const auto resource = make("", "v1", "Service", "services", true, {"status"});
  return resource;
}
const ApiResource& persistent_volume_claims() {
  static const auto resource =
      make("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true, {"status"});
  return resource;
}
const ApiResource& service_accounts() {
  static const auto resource = make("", "v1", "ServiceAccount", "serviceaccounts", true, {"token"});
  return resource;
}
const ApiResource& events() {
  static const auto resource = make("", "v1", "Event", "events", true);
  return resource;
}
const ApiResource& nodes() {
  static const auto resource = make("", "v1", "Node", "nodes", false, {"status"});
  return resource;
}
const ApiResource& leases() {
  static const auto resource = make("coordination.k8s.io", "v1", "Lease", "leases", true);
  return resource;
}
const ApiResource& deployments() {
  static const auto resource =
      make("apps", "v1", "Deployment", "deployments", true, {"scale", "status"});
  return resource;
}
const ApiResource& roles() {
  static const auto resource = make("rbac.authorization.k8s.io", "v1", "Role", "roles", true);
  return resource;
}
const ApiResource& role_bindings() {
  static const auto resource =
      make("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", true);
  return resource;
}
const ApiResource& custom_resource_definitions() {
  static const auto resource = make("apiextensions.k8s.io", "v1", "CustomResourceDefinition",
                                    "customresourcedefinitions", false, {"status"});
  return resource;
}

}  // namespace well_known
}  // namespace kubist::kube
