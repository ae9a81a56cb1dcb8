#include "workloads.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {
constexpr std::string_view k_mesh_annotation = "kubist.io/mesh";
}

void WorkloadReader::add(const Json& deployment) {
  const resources::ObjectView view(deployment);
  m_rolled_out_for[std::string(view.name())] = data::string_at(
      deployment, {"spec", "template", "metadata", "annotations", k_mesh_annotation});
  const std::string app(view.label("app"));
  if (app.empty()) {
    return;
  }
  Json entry{{"name", view.name()},
             {"replicas", data::int_at(deployment, {"spec", "replicas"}, 1)},
             {"readyReplicas", data::int_at(deployment, {"status", "readyReplicas"})}};
  if (const std::string_view version = view.label("version"); !version.empty()) {
    entry["version"] = version;
  }
  m_by_app[app].push_back(std::move(entry));
}

Workloads WorkloadReader::finish() && {
  Workloads workloads;
  for (auto& [app, entries] : m_by_app) {
    workloads.applications.push_back({{"name", app}, {"deployments", std::move(entries)}});
  }
  workloads.rolled_out_for = std::move(m_rolled_out_for);
  return workloads;
}

util::Result<Workloads> list_workloads(kube::Client& client, const std::string& ns,
                                       const std::stop_token& stop) {
  KUBIST_TRY(const auto deployments, client.list(kube::well_known::deployments(), ns, {}, stop));
  WorkloadReader reader;
  for (const Json& deployment : deployments.items) {
    reader.add(deployment);
  }
  return std::move(reader).finish();
}

util::Result<> restart_workloads(Work& work, kube::Client& client, const std::string& cluster,
                                 const NamespaceWish& wish, const Workloads& workloads) {
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
    kube::WriteOptions options;
    options.field_manager = work.field_manager();
    const Json patch{
        {"spec", {{"template", {{"metadata", {{"annotations", {{k_mesh_annotation, wanted}}}}}}}}}};
    KUBIST_CHECK(work.send(client, cluster,
                           kube::patch(kube::well_known::deployments(), wish.name, name,
                                       kube::PatchType::strategic, patch, options),
                           "patch", cat("apps/v1 Deployment/", name, " (restart)")));
  }
  return {};
}

}  // namespace kubist::executors
