#include <kubist/kube/api_resource.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {

ApiResource make_resource(std::string group, std::string version, std::string kind,
                          std::string plural, bool namespaced,
                          std::vector<std::string> subresources) {
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

namespace well_known {
namespace {
constexpr const char* k_rbac = "rbac.authorization.k8s.io";
constexpr const char* k_admission = "admissionregistration.k8s.io";
}  // namespace

const ApiResource& namespaces() {
  static const auto resource =
      make_resource("", "v1", "Namespace", "namespaces", false, {"finalize", "status"});
  return resource;
}
const ApiResource& pods() {
  static const auto resource =
      make_resource("", "v1", "Pod", "pods", true, {"eviction", "log", "status"});
  return resource;
}
const ApiResource& secrets() {
  static const auto resource = make_resource("", "v1", "Secret", "secrets", true);
  return resource;
}
const ApiResource& config_maps() {
  static const auto resource = make_resource("", "v1", "ConfigMap", "configmaps", true);
  return resource;
}
const ApiResource& services() {
  static const auto resource = make_resource("", "v1", "Service", "services", true, {"status"});
  return resource;
}
const ApiResource& persistent_volume_claims() {
  static const auto resource =
      make_resource("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true, {"status"});
  return resource;
}
const ApiResource& service_accounts() {
  static const auto resource =
      make_resource("", "v1", "ServiceAccount", "serviceaccounts", true, {"token"});
  return resource;
}
const ApiResource& events() {
  static const auto resource = make_resource("", "v1", "Event", "events", true);
  return resource;
}
const ApiResource& nodes() {
  static const auto resource = make_resource("", "v1", "Node", "nodes", false, {"status"});
  return resource;
}
const ApiResource& leases() {
  static const auto resource = make_resource("coordination.k8s.io", "v1", "Lease", "leases", true);
  return resource;
}
const ApiResource& deployments() {
  static const auto resource =
      make_resource("apps", "v1", "Deployment", "deployments", true, {"scale", "status"});
  return resource;
}
const ApiResource& roles() {
  static const auto resource = make_resource(k_rbac, "v1", "Role", "roles", true);
  return resource;
}
const ApiResource& role_bindings() {
  static const auto resource = make_resource(k_rbac, "v1", "RoleBinding", "rolebindings", true);
  return resource;
}
const ApiResource& custom_resource_definitions() {
  static const auto resource =
      make_resource("apiextensions.k8s.io", "v1", "CustomResourceDefinition",
                    "customresourcedefinitions", false, {"status"});
  return resource;
}

const ApiResource& stateful_sets() {
  static const auto resource =
      make_resource("apps", "v1", "StatefulSet", "statefulsets", true, {"scale", "status"});
  return resource;
}
const ApiResource& daemon_sets() {
  static const auto resource =
      make_resource("apps", "v1", "DaemonSet", "daemonsets", true, {"status"});
  return resource;
}
const ApiResource& jobs() {
  static const auto resource = make_resource("batch", "v1", "Job", "jobs", true, {"status"});
  return resource;
}
const ApiResource& endpoint_slices() {
  static const auto resource =
      make_resource("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", true);
  return resource;
}
const ApiResource& cluster_roles() {
  static const auto resource = make_resource(k_rbac, "v1", "ClusterRole", "clusterroles", false);
  return resource;
}
const ApiResource& cluster_role_bindings() {
  static const auto resource =
      make_resource(k_rbac, "v1", "ClusterRoleBinding", "clusterrolebindings", false);
  return resource;
}
const ApiResource& mutating_webhooks() {
  static const auto resource = make_resource(k_admission, "v1", "MutatingWebhookConfiguration",
                                             "mutatingwebhookconfigurations", false);
  return resource;
}
const ApiResource& validating_webhooks() {
  static const auto resource = make_resource(k_admission, "v1", "ValidatingWebhookConfiguration",
                                             "validatingwebhookconfigurations", false);
  return resource;
}

}  // namespace well_known
}  // namespace kubist::kube
