#include <kubist/data/json_patch.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/resources/kinds.hpp>

namespace kubist::executors {

using data::Json;

util::Result<> KubeStatusStore::write(const engine::Node& node, const Json& status) {
  if (m_world.dry_run != apply::DryRun::none) {
    return {};
  }
  Json present;
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_written.find(node.uid);
    present = found != m_written.end() ? found->second : node.status();
  }
  const Json patch = data::make_merge_patch(present.is_null() ? Json::object() : present, status);
  if (patch.empty()) {
    return {};
  }
  const std::string ns =
      node.key.kind == "Project" ? resources::project_namespace(*node.object) : node.key.ns;
  if (!ns.empty()) {
    KUBIST_CHECK(m_world.locks.before_write(ns, m_stop));
  }
  const resources::ObjectView view(*node.object);
  KUBIST_TRY(const auto resource,
             m_world.home->discovery().find_kind(view.api_version(), node.key.kind));
  kube::WriteOptions options;
  options.field_manager = k_status_manager;
  options.subresource = "status";
  auto sent = m_world.home->run(kube::patch(resource, node.key.ns, node.key.name,
                                            kube::PatchType::merge, {{"status", patch}}, options));
  if (!sent && sent.error().kind != util::ErrorKind::not_found) {
    return util::fail(sent.error());
  }
  const std::lock_guard lock(m_mutex);
  m_written[node.uid] = status;
  return {};
}

}  // namespace kubist::executors
