#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/engine/targets.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/kinds.hpp>

#include "world/work.hpp"

namespace kubist::executors {

using data::Json;

util::Error plan_changed(std::string message) {
  return util::make_error(util::ErrorKind::conflict, std::move(message), "",
                          std::string(k_plan_changed));
}

KubeStatusStore::Written KubeStatusStore::known(const engine::Node& node) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_written.find(node.uid);
  if (found != m_written.end()) {
    return found->second;
  }
  const Json* status = data::find_path(*node.object, {"status"});
  return {status != nullptr ? *status : Json::object(), node.resource_version};
}

std::shared_ptr<std::mutex> KubeStatusStore::turn_of(const engine::Node& node) {
  const std::lock_guard lock(m_mutex);
  auto& turn = m_turns[node.uid];
  if (!turn) {
    turn = std::make_shared<std::mutex>();
  }
  return turn;
}

util::Result<> KubeStatusStore::write(const engine::Node& node, const Json& status) {
  KUBIST_CHECK(change(node, [&](const Json& whole) {
    if (!node.selected) {
      return status;
    }
    if (!node.target.empty()) {
      return engine::with_target_status(whole, node, status, m_world.clock->now());
    }
    Json after = status;  // none is selected: what is left of others stays
    after.erase("targets");
    if (const auto targets = whole.find("targets"); targets != whole.end()) {
      after["targets"] = *targets;
    }
    return after;
  }));
  return {};
}

util::Result<> KubeStatusStore::record_inventory(const engine::Node& node, const Json& entries) {
  KUBIST_CHECK(change(node, [&](const Json& whole) {
    Json own = engine::target_status(whole, node.target);
    own["inventory"] = entries;
    return engine::with_target_status(whole, node, own, m_world.clock->now());
  }));
  return {};
}

util::Result<bool> KubeStatusStore::drop_target(const engine::Node& node) {
  KUBIST_TRY(const Json after, change(node, [&](const Json& whole) {
               return node.target.empty()
                          ? whole
                          : engine::with_target_status(whole, node, Json(), m_world.clock->now());
             }));
  return engine::target_names(after).empty();
}

util::Result<Json> KubeStatusStore::change(const engine::Node& node, const Change& change) {
  const auto turn = turn_of(node);
  const std::lock_guard lock(*turn);
  const Written present = known(node);
  Json status = change(present.status);
  KUBIST_CHECK(send(node, present, status));
  return status;
}

util::Result<> KubeStatusStore::send(const engine::Node& node, const Written& present,
                                     const Json& status) {
  const std::string ns =
      node.key.kind == "Project" ? resources::project_namespace(*node.object) : node.key.ns;
  if (m_world.dry_run != kube::DryRun::none || m_hidden.contains(ns)) {
    return {};
  }
  const Json patch = data::make_merge_patch(present.status, status);
  if (patch.empty()) {
    return {};
  }
  Json body{{"status", patch}};
  kube::Writer::Rules rules;
  if (ns.empty()) {
    body["metadata"]["resourceVersion"] = present.resource_version;
  } else {
    rules = m_world.locks.rules(ns, m_stop);
  }
  rules.field_manager = k_status_manager;
  const resources::ObjectView view(*node.object);
  KUBIST_TRY(const auto resource,
             m_world.home->discovery().find_kind(view.api_version(), node.key.kind));
  const auto after = kube::Writer(std::move(rules))
                         .patch({*m_world.home}, resource, node.key.ns, node.key.name,
                                kube::PatchType::merge, body, {.subresource = "status"});
  if (!after && after.error().kind == util::ErrorKind::not_found) {
    return {};
  }
  if (!after) {
    util::Error error = status_refused(after.error(), node);
    if (ns.empty() && kube::is_conflict(error)) {
      error.reason = k_plan_changed;
    }
    return util::fail(std::move(error));
  }
  const std::lock_guard lock(m_mutex);
  m_changes.try_emplace(node.id, StatusChange{node.status(), {}}).first->second.after =
      node.selected && !node.target.empty() ? engine::target_status(status, node.target) : status;
  m_written[node.uid] = {status, std::string(resources::ObjectView(*after).resource_version())};
  return {};
}

}  // namespace kubist::executors
