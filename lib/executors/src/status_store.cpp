#include <kubist/data/json_patch.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/resources/kinds.hpp>

namespace kubist::executors {

using data::Json;

util::Error plan_changed(std::string message) {
  util::Error error = util::make_error(util::ErrorKind::conflict, std::move(message));
  error.reason = k_plan_changed;
  return error;
}

KubeStatusStore::Written KubeStatusStore::known(const engine::Node& node) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_written.find(node.uid);
  return found != m_written.end() ? found->second : Written{node.status(), node.resource_version};
}

util::Result<> KubeStatusStore::write(const engine::Node& node, const Json& status) {
  const std::string ns =
      node.key.kind == "Project" ? resources::project_namespace(*node.object) : node.key.ns;
  if (m_world.dry_run != apply::DryRun::none || m_hidden.contains(ns)) {
    return {};
  }
  const Written present = known(node);
  const Json patch = data::make_merge_patch(
      present.status.is_null() ? Json::object() : present.status, status);
  if (patch.empty()) {
    return {};
  }
  Json body{{"status", patch}};
  if (ns.empty()) {
    body["metadata"]["resourceVersion"] = present.resource_version;
  } else {
    KUBIST_CHECK(m_world.locks.before_write(ns, m_stop));
  }
  const resources::ObjectView view(*node.object);
  KUBIST_TRY(const auto resource,
             m_world.home->discovery().find_kind(view.api_version(), node.key.kind));
  kube::WriteOptions options;
  options.field_manager = k_status_manager;
  options.subresource = "status";
  auto after = m_world.home->json(kube::patch(resource, node.key.ns, node.key.name,
                                              kube::PatchType::merge, body, options));
  if (!after && after.error().kind == util::ErrorKind::not_found) {
    return {};
  }
  if (!after) {
    util::Error error = after.error();
    if (ns.empty() && error.http_status == 409) {
      error.reason = k_plan_changed;
    }
    return util::fail(std::move(error));
  }
  const std::lock_guard lock(m_mutex);
  m_changes.try_emplace(node.id, StatusChange{node.status(), {}}).first->second.after = status;
  m_written[node.uid] = {status, std::string(resources::ObjectView(*after).resource_version())};
  return {};
}

}  // namespace kubist::executors
