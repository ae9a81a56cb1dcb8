#include "keep/restart_workloads.hpp"

#include <kubist/istio/labels.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;

util::Result<> restart_workloads(Work& work, const kube::Target& target, const NamespaceWish& wish,
                                 const Workloads& workloads) {
  std::string mesh;
  for (const char* label :
       {istio::k_injection_label, istio::k_revision_label, istio::k_dataplane_mode_label}) {
    if (const auto found = wish.labels.find(label); found != wish.labels.end()) {
      mesh += cat(mesh.empty() ? "" : ",", label, '=', found->second);
    }
  }
  const std::string wanted = mesh.empty() ? "none" : mesh;
  for (const auto& [name, present] : workloads.rolled_out_for) {
    if (present == wanted || (present.empty() && wanted == "none")) {
      continue;
    }
    const Json patch{
        {"spec", {{"template", {{"metadata", {{"annotations", {{k_mesh_annotation, wanted}}}}}}}}}};
    KUBIST_CHECK(work.writer().patch(target, kube::well_known::deployments(), wish.name, name,
                                     kube::PatchType::strategic, patch, {.detail = "restart"}));
  }
  return {};
}

}  // namespace kubist::executors
