#pragma once
#include <string_view>

/// The labels by which namespaces and pods take part in a mesh
/// (https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/).
namespace kubist::istio {

inline constexpr const char* k_injection_label = "istio-injection";
inline constexpr const char* k_revision_label = "istio.io/rev";
inline constexpr const char* k_dataplane_mode_label = "istio.io/dataplane-mode";
inline constexpr const char* k_inject_label = "sidecar.istio.io/inject";  ///< of pods

}  // namespace kubist::istio
