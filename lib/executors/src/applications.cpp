#include "applications.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;

namespace {
constexpr std::string_view k_mesh_annotation = "kubist.io/mesh";
}

void Applications::add(const Json& deployment) {
  const resources::ObjectView view(deployment);
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

Json Applications::to_json() && {
  Json applications = Json::array();
  for (auto& [app, entries] : m_by_app) {
    applications.push_back({{"name", app}, {"deployments", std::move(entries)}});
  }
  return applications;
}

util::Result<Json> list_applications(kube::Client& client, const std::string& ns,
                                     const std::stop_token& stop) {
  KUBIST_TRY(const auto deployments, client.list(kube::well_known::deployments(), ns, {}, stop));
  Applications applications;
  for (const Json& deployment : deployments.items) {
    applications.add(deployment);
  }
  return std::move(applications).to_json();
}

util::Result<> restart_workloads(Work& work, kube::Client& client, const std::string& cluster,
                                 const NamespaceWish& wish) {
  std::string mesh;
  for (const char* label : {"istio-injection", "istio.io/rev", "istio.io/dataplane-mode"}) {
    if (const auto found = wish.labels.find(label); found != wish.labels.end()) {
      mesh += cat(mesh.empty() ? "" : ",", label, '=', found->second);
    }
  }
  const std::string wanted = mesh.empty() ? "none" : mesh;
  KUBIST_TRY(const auto deployments,
             client.list(kube::well_known::deployments(), wish.name, {}, work.stop()));
  for (const Json& deployment : deployments.items) {
    const std::string_view present = data::string_at(
        deployment, {"spec", "template", "metadata", "annotations", k_mesh_annotation});
    if (present == wanted || (present.empty() && wanted == "none")) {
      continue;
    }
    const std::string name(resources::ObjectView(deployment).name());
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
