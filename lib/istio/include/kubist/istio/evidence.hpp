#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <kubist/data/json.hpp>

/// What a cluster says about its Istio, as values: gather.hpp fills it from an API server, tests by
/// hand or from recorded objects. Nothing here holds a secret.
namespace kubist::istio {

/// A question that the API server did not answer. Never the same as "there is none".
struct Unread {
  std::string resource;  ///< "pods", "deployments.apps"
  std::string code;      ///< "forbidden:pods", "apiserver:503", "apiserver:timeout"
  std::string message;   ///< what was asked and what came back
};

/// What was asked for, or why it is not known.
template <class T>
using Read = tl::expected<T, Unread>;

/// The items, or none where they could not be read.
template <class T>
const std::vector<T>& items_of(const Read<std::vector<T>>& list) {
  static const std::vector<T> none;
  return list ? *list : none;
}

/// The revision of objects that name none.
inline constexpr std::string_view k_default_revision = "default";

/// A CRD whose group is one of Istio's (*.istio.io).
struct Crd {
  std::string name;         ///< "gateways.networking.istio.io"
  bool established = true;  ///< served, as its conditions or discovery say
  std::string reason;       ///< of the condition that says no
  std::optional<std::chrono::system_clock::time_point> created;
};

/// Where an admission webhook is called.
struct WebhookTarget {
  std::string url;       ///< empty: a Service
  std::string ns, name;  ///< of the Service
  bool operator==(const WebhookTarget&) const = default;
};

/// One entry of a webhook configuration.
struct Webhook {
  std::string name;  ///< "namespace.sidecar-injector.istio.io"
  WebhookTarget target;
  std::string ca_bundle;                           ///< PEM; empty where there is none
  bool fail_closed = true;                         ///< failurePolicy Fail
  data::Json namespace_selector, object_selector;  ///< null selects all
};

/// A MutatingWebhookConfiguration or ValidatingWebhookConfiguration of Istio.
struct WebhookConfig {
  std::string name;
  std::string revision;  ///< label istio.io/rev; "default" where there is none
  std::string tag;       ///< label istio.io/tag; empty: no revision tag
  std::vector<Webhook> webhooks;
};

/// An istiod Deployment.
struct ControlPlane {
  std::string ns, name, revision;
  std::int64_t generation = 0, observed_generation = 0;
  std::int64_t wanted = 0, updated = 0, ready = 0, available = 0;
  std::string progress_reason;   ///< of condition Progressing
  bool progress_failed = false;  ///< Progressing is False: the deadline has passed
  std::optional<std::chrono::system_clock::time_point> available_since;
  std::string image_version;  ///< of the image tag; empty: a digest or a private tag
  std::string
      label_version;      ///< app.kubernetes.io/version, operator.istio.io/version or helm.sh/chart
  bool ambient = false;   ///< PILOT_ENABLE_AMBIENT
  std::string installer;  ///< istioctl, Helm, Sail, kubist, or empty
  data::Json selector;    ///< spec.selector, which never changes
};

/// A pod of a control plane, by its label app=istiod.
struct IstiodPod {
  std::string ns, name, revision;
  bool ready = false;
  std::string image_version;
  std::string waiting;  ///< why it does not run: CrashLoopBackOff, Unschedulable, ...
  std::string message;
};

/// A Service in front of a control plane.
struct ControlService {
  std::string ns, name, revision;
  std::string external_name;
  bool has_selector = true;
  std::size_t endpoints = 0, ready_endpoints = 0;
};

/// A namespace, with the labels that say whether and how it is in the mesh.
struct NamespaceLabels {
  std::string name;
  data::Json labels = data::Json::object();
  bool terminating = false;
  /// The mark of the Project or VirtualCluster of kubist's that keeps it, whose members write what
  /// is there; empty: none does.
  std::string owner;
};

/// A pod that has an istio-proxy container.
struct Proxy {
  std::string ns, pod, revision;
  std::string version;  ///< of the image tag; empty: not known
};

/// The proxies of all namespaces, up to GatherOptions::max_proxies.
struct ProxyList {
  std::vector<Proxy> proxies;
  bool cut = false;  ///< there are more than were looked at
};

/// A DaemonSet: the CNI plugin or ztunnel.
struct NodeAgent {
  enum class Kind { cni, ztunnel } kind = Kind::cni;
  std::string ns, name;
  bool rolling = false;  ///< generation not observed yet, or not all updated
  std::int64_t wanted = 0, ready = 0;
  std::string image_version;
};

/// An object of the Sail operator.
struct SailObject {
  std::string kind, ns, name, state;
  bool ready = false;
};

/// What belongs to one revision in its namespace.
struct RevisionConfig {
  std::string ns, revision;
  bool mesh_config = true;      ///< ConfigMap istio[-REV] exists
  bool injector_config = true;  ///< ConfigMap istio-sidecar-injector[-REV] exists
  std::string root_cert;        ///< PEM of ConfigMap istio-ca-root-cert; empty: there is none
  // Of ConfigMap values[-REV], where there is one:
  bool validates = true;  ///< global.configValidation
  bool operator_webhooks =
      false;                ///< global.operatorManageWebhooks: the operator makes the injector
  bool foreign_ca = false;  ///< certificates come from istio-csr, cert-manager or the like
  std::string
      served_version;  ///< what istiod itself answers on /version; empty: not asked or no answer
};

/// How the pods of one namespace that shall be in the mesh are.
struct Members {
  std::string ns;
  std::size_t pods = 0;
  std::vector<std::string> without_proxy;  ///< of a namespace with injection
  std::vector<std::string> half_captured;  ///< of a namespace in ambient mode
};

/// What the webhook that checks configuration did with a server dry run that it must refuse.
struct Probe {
  enum class Outcome {
    works,          ///< it refused, as it must
    not_consulted,  ///< the API server let it pass
    unreachable,    ///< the API server could not call it
    not_run,        ///< not allowed to, or nothing to probe: no evidence
  } outcome = Outcome::not_run;
  std::string ns, revision;
  std::string message;
};

/// All of it.
struct Evidence {
  std::chrono::system_clock::time_point now;
  int kubernetes_minor = 0;  ///< 0: not known
  std::string kubernetes_version;
  /// Does discovery list an istio.io group? True also where CRDs may not be listed.
  bool api_served = false;
  Read<std::vector<Crd>> crds;
  Read<std::vector<WebhookConfig>> injectors, validators;
  Read<std::vector<ControlPlane>> control_planes;
  Read<std::vector<ControlService>> services;
  Read<std::vector<NodeAgent>> node_agents;
  Read<std::vector<SailObject>> sail;
  // Asked only where one of the above found something:
  Read<std::vector<IstiodPod>> istiod_pods;
  Read<std::vector<NamespaceLabels>> namespaces;
  Read<ProxyList> proxies;
  Read<std::set<std::string>> cluster_roles, cluster_role_bindings;  ///< names
  Read<std::vector<RevisionConfig>> configs;
  Read<std::vector<std::string>> tainted_nodes;  ///< with cni.istio.io/not-ready
  std::vector<Members> members;
  std::vector<Probe> probes;
  std::size_t remote_clusters = 0;  ///< Secrets by which this primary reaches other clusters
  /// Questions without which the verdict stands, that were not answered.
  std::vector<Unread> optional_unread;
};

/// Every question without an answer, in the order of the fields.
std::vector<Unread> unread(const Evidence& evidence);

/// "istiod" + "-REV", as Istio names the objects of a revision.
std::string with_revision(std::string_view name, std::string_view revision);

}  // namespace kubist::istio
