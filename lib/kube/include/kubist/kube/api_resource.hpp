#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::kube {

/// One resource that an API server serves, as discovery tells it. Plain data; copies are cheap
/// enough to keep one per object in work.
struct ApiResource {
  std::string group;     ///< empty: the core group
  std::string version;   ///< "v1"
  std::string kind;      ///< "ConfigMap"
  std::string plural;    ///< "configmaps", the name in URLs
  std::string singular;  ///< "configmap"; may be empty
  std::vector<std::string> short_names;
  std::vector<std::string> categories;    ///< "all", ...
  std::vector<std::string> verbs;         ///< "get", "list", "patch", ...
  std::vector<std::string> subresources;  ///< "status", "scale", "log", ...
  bool namespaced = false;
  bool operator==(const ApiResource&) const = default;

  /// "v1" or "apps/v1".
  std::string api_version() const;
  /// "configmaps" or "deployments.apps", as kubectl prints it.
  std::string group_resource() const;
  bool has_verb(std::string_view verb) const;
  bool has_subresource(std::string_view name) const;

  /// The URL path of one object or its subresource. `ns` is ignored where the kind has none. What
  /// check_name() refuses makes a path that no Client sends.
  std::string path(std::string_view ns, std::string_view name,
                   std::string_view subresource = {}) const;
  /// The URL path of all objects; an empty `ns` means all namespaces.
  std::string collection_path(std::string_view ns) const;
};

/// May this be a part of an API path? Kubernetes' own rule (IsValidPathSegmentName of
/// k8s.io/apimachinery/pkg/api/validation/path), and not empty: servers take `..` and an empty name
/// for another object or for the whole collection. `what` begins the message ("resource name").
/// Error: invalid.
util::Result<> check_name(std::string_view what, std::string_view name);

/// A resource known beforehand, of which discovery need not be asked: every verb, and the
/// subresources named.
ApiResource make_resource(std::string group, std::string version, std::string kind,
                          std::string plural, bool namespaced,
                          std::vector<std::string> subresources = {});

/// The resource that a CustomResourceDefinition serves in that version, or will once it is
/// established; nothing where it does not.
std::optional<ApiResource> resource_of_crd(const data::Json& crd, std::string_view version,
                                           std::string_view kind);

/// Resources that every Kubernetes has, so that kubist's own calls need no discovery.
namespace well_known {
const ApiResource& namespaces();
const ApiResource& pods();
const ApiResource& secrets();
const ApiResource& config_maps();
const ApiResource& services();
const ApiResource& persistent_volume_claims();
const ApiResource& service_accounts();
const ApiResource& events();
const ApiResource& nodes();
const ApiResource& leases();
const ApiResource& deployments();
const ApiResource& roles();
const ApiResource& role_bindings();
const ApiResource& custom_resource_definitions();
const ApiResource& stateful_sets();
const ApiResource& daemon_sets();
const ApiResource& jobs();
const ApiResource& endpoint_slices();
const ApiResource& cluster_roles();
const ApiResource& cluster_role_bindings();
const ApiResource& mutating_webhooks();
const ApiResource& validating_webhooks();
}  // namespace well_known

}  // namespace kubist::kube
