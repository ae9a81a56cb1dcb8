#include "world/workloads.hpp"

#include <kubist/data/json_stream.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/room.hpp>

namespace kubist::executors {

using data::Json;

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
  const kube::ApiResource& deployments = kube::well_known::deployments();
  WorkloadReader reader;
  const auto add = [&](const data::ListItem& item) -> util::Result<> {
    KUBIST_TRY(const Json deployment, kube::read_item(deployments, item.raw));
    reader.add(deployment);
    return {};
  };
  KUBIST_CHECK(client.list_items(deployments, ns, {}, add, stop));
  return std::move(reader).finish();
}

}  // namespace kubist::executors
