#pragma once
#include <optional>

#include <kubist/data/json.hpp>
#include <kubist/istio/evidence.hpp>

/// From API objects to evidence. Pure; absent fields and fields of a wrong type read as empty.
namespace kubist::istio {

/// `metadata` may be a PartialObjectMetadata; then `established` is for discovery to say.
Crd read_crd(const data::Json& object);
/// Is any of its webhooks Istio's (a name that ends in istio.io)? Else nothing.
std::optional<WebhookConfig> read_webhook_config(const data::Json& object);
ControlPlane read_control_plane(const data::Json& deployment);
IstiodPod read_istiod_pod(const data::Json& pod);
ControlService read_service(const data::Json& service);
/// Adds the endpoints of a slice to its Service, where it is in the list.
void count_endpoints(const data::Json& slice, std::vector<ControlService>& services);
/// Nothing for a DaemonSet of another kind.
std::optional<NodeAgent> read_node_agent(const data::Json& daemon_set);
/// Nothing for a pod without istio-proxy, or one that has ended.
std::optional<Proxy> read_proxy(const data::Json& pod);
SailObject read_sail(const data::Json& object);
/// Takes what matters of ConfigMap values[-REV].
void read_values(const data::Json& config_map, RevisionConfig& config);
/// Is the node kept free of pods until the CNI plugin is there?
bool cni_tainted(const data::Json& node);
/// Adds one pod (only metadata) of a namespace with injection, or in ambient mode.
void count_member(const data::Json& pod, bool ambient, Members& members);

/// How the namespace takes part in a mesh.
enum class Membership { none, injection, ambient };
Membership membership(const data::Json& namespace_labels);

}  // namespace kubist::istio
