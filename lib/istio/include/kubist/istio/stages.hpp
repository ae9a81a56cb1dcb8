#pragma once
#include <string_view>
#include <vector>

#include <kubist/istio/bundle.hpp>
#include <kubist/istio/evidence.hpp>

namespace kubist::istio {

/// The steps of an installation, in order. Within one, apply::apply_set orders by kind (namespaces
/// and CRDs before what needs them).
enum class Stage {
  base,           ///< namespace, CRDs, rights, configuration, Services
  control_plane,  ///< istiod and what scales or protects it
  webhooks,       ///< once istiod answers: before that they would refuse pods
  nodes,          ///< the CNI plugin; ztunnel waits for it
  ztunnel,
  gateways,  ///< other workloads: istiod injects their pods
};
/// The lower-case words for people: "control plane".
std::string_view to_string(Stage stage);

/// Objects of one stage, in the bundle's order.
struct StagedObjects {
  Stage stage = Stage::base;
  std::vector<resources::Manifest> objects;
};

/// The bundle's objects by stage; stages without objects are left out. A Namespace for istiod is
/// added where the bundle has none, as istioctl prints none. Webhook configurations are without
/// istiod's fields, `live` being those that the cluster has. Istio's own configuration objects
/// (Gateways and the like) go with the gateways: their CRDs are served and checked by then. Pure.
std::vector<StagedObjects> stages_of(const Bundle& bundle,
                                     const std::vector<WebhookConfig>& live = {});
/// All webhook configurations of Istio that the cluster has.
std::vector<WebhookConfig> live_webhooks(const Evidence& evidence);
/// The stage of one object.
Stage stage_of(const data::Json& object);

}  // namespace kubist::istio
