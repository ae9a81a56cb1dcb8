#include <kubist/data/json_patch.hpp>
#include <kubist/data/memory.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/engine/targets.hpp>
#include <kubist/executors/object_source.hpp>
#include <kubist/executors/status_store.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/resource_version.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "world/project_accounts.hpp"
#include "world/work.hpp"

namespace kubist::executors {

using data::Json;

util::Error plan_changed(std::string message) {
  return util::make_error(util::ErrorKind::conflict, std::move(message), "",
                          std::string(k_plan_changed));
}

namespace {

constexpr std::size_t k_most_entries = 50'000;
constexpr std::size_t k_most_bytes = std::size_t{256} << 20U;

/// Is it of one of several virtual clusters, so that it has only a part of the status?
bool has_part(const engine::Node& node) { return node.selected && !node.target.empty(); }

Json part_of(const engine::Node& node, const Json& whole) {
  return has_part(node) ? engine::target_status(whole, node.target) : whole;
}

/// The status of the object after that of the node became `own`.
Json with_part(const engine::Node& node, const Json& whole, Json own,
               std::chrono::system_clock::time_point now) {
  if (!node.selected) {
    return own;
  }
  if (has_part(node)) {
    return engine::with_target_status(whole, node, own, now);
  }
  own.erase("targets");  // none is selected: what is left of others stays
  if (const auto targets = whole.find("targets"); targets != whole.end()) {
    own["targets"] = *targets;
  }
  return own;
}

/// The status of the object without these targets, of which one is the node's.
Json without_targets(const engine::Node& node, const Json& whole,
                     const std::set<std::string>& names,
                     std::chrono::system_clock::time_point now) {
  Json rest = whole;
  if (const auto targets = rest.find("targets"); targets != rest.end() && targets->is_array()) {
    std::erase_if(targets->get_ref<Json::array_t&>(), [&](const Json& entry) {
      return names.contains(std::string(data::string_at(entry, {"virtualCluster"})));
    });
  }
  return engine::with_target_status(rest, node, Json(), now);
}

}  // namespace

StatusBook::Entry StatusBook::newest(const engine::Node& node) const {
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_entries.find(node.uid);
    if (found != m_entries.end() &&
        kube::is_newer(found->second.entry.resource_version, node.resource_version)) {
      return found->second.entry;
    }
  }
  const Json* status = data::find_path(*node.object, {"status"});
  return {status != nullptr ? std::shared_ptr<const Json>(node.object, status)
                            : std::make_shared<const Json>(Json::object()),
          node.resource_version};
}

std::shared_ptr<const Json> StatusBook::written(const engine::Node& node) const {
  const std::lock_guard lock(m_mutex);
  const auto found = m_entries.find(node.uid);
  return found != m_entries.end() &&
                 kube::is_newer(found->second.entry.resource_version, node.resource_version)
             ? found->second.entry.status
             : nullptr;
}

void StatusBook::note(const std::string& uid, Entry entry) {
  const std::size_t bytes = data::memory_of(*entry.status) + uid.size();
  const std::lock_guard lock(m_mutex);
  const auto [at, is_new] = m_entries.try_emplace(uid);
  Kept& kept = at->second;
  if (is_new) {
    kept.age = m_by_age.insert(m_by_age.end(), uid);
  } else if (!kube::is_newer(entry.resource_version, kept.entry.resource_version)) {
    return;
  }
  m_bytes += bytes - kept.bytes;
  kept.entry = std::move(entry);
  kept.bytes = bytes;
  m_by_age.splice(m_by_age.end(), m_by_age, kept.age);
  while (m_entries.size() > k_most_entries || m_bytes > k_most_bytes) {
    forget_oldest();
  }
}

void StatusBook::forget_oldest() {
  const auto oldest = m_entries.find(m_by_age.front());
  m_bytes -= oldest->second.bytes;
  if (const auto turn = m_turns.find(oldest->first);
      turn != m_turns.end() && turn->second.use_count() == 1) {
    m_turns.erase(turn);
  }
  m_entries.erase(oldest);
  m_by_age.pop_front();
}

std::shared_ptr<std::mutex> StatusBook::turn_of(const std::string& uid) {
  const std::lock_guard lock(m_mutex);
  auto& turn = m_turns[uid];
  if (!turn) {
    turn = std::make_shared<std::mutex>();
  }
  return turn;
}

void StatusBook::clear() {
  const std::lock_guard lock(m_mutex);
  m_entries.clear();
  m_by_age.clear();
  m_bytes = 0;
  m_turns.clear();
}

util::Result<engine::StatusWritten> KubeStatusStore::change(const engine::Node& node,
                                                            const Change& change) {
  Json own;
  KUBIST_TRY(engine::StatusWritten written, change_whole(node, [&](const Json& whole) {
               const Json before = part_of(node, whole);
               own = change(before);
               return own == before ? whole : with_part(node, whole, own, m_world.clock->now());
             }));
  written.status = std::move(own);
  return written;
}

std::shared_ptr<const Json> KubeStatusStore::written(const engine::Node& node) const {
  const auto whole = m_book.written(node);
  return whole && has_part(node) ? std::make_shared<const Json>(part_of(node, *whole)) : whole;
}

std::string KubeStatusStore::shown(const std::string& text) const {
  return m_accounts.shown(text, m_stop);
}

void KubeStatusStore::saw(const engine::Node& node, const Json& object) {
  const resources::ObjectView view(object);
  if (view.uid() == node.uid) {
    m_book.note(node.uid, {std::make_shared<const Json>(object.value("status", Json::object())),
                           std::string(view.resource_version())});
  }
}

util::Result<bool> KubeStatusStore::record(const engine::Node& node, const Json& fields) {
  bool known = false;
  KUBIST_TRY(const auto after, change(node, [&](const Json& before) {
               Json status = before.is_object() ? before : Json::object();  // anything may be there
               status.update(fields);
               known = status == before;
               return status;
             }));
  if (!after.sent && !known) {
    return util::fail(util::ErrorKind::not_found,
                      util::cat(engine::to_string(node), " is gone: nothing is made for it"));
  }
  return after.sent;
}

util::Result<bool> KubeStatusStore::drop_target(const engine::Node& node) {
  if (node.target.empty()) {
    KUBIST_TRY(const auto same, change_whole(node, [](const Json& whole) { return whole; }));
    return engine::target_names(same.status).empty();
  }
  std::set<std::string> names{node.target};
  std::unique_lock lock(m_mutex);
  Leaving& leaving = m_leaving[node.uid];
  leaving.names.insert(node.target);
  m_dropped.wait(lock, [&] { return !leaving.busy || !leaving.names.contains(node.target); });
  m_changes.erase(node.id);  // nobody is told of a status that is no more
  if (!leaving.names.contains(node.target)) {
    return false;  // another's write was of this one, too
  }
  if (m_world.dry_run == kube::DryRun::none) {
    names = leaving.names;
  }
  leaving.busy = true;
  lock.unlock();
  const auto after = util::guarded([&] {
    return change_whole(node, [&](const Json& whole) {
      return without_targets(node, whole, names, m_world.clock->now());
    });
  });
  lock.lock();
  leaving.busy = false;
  m_dropped.notify_all();
  m_changes.erase(node.id);
  if (!after) {
    leaving.names.erase(node.target);  // the others try for themselves
    return util::fail(after.error());
  }
  std::erase_if(leaving.names, [&](const std::string& name) { return names.contains(name); });
  return engine::target_names(after->status).empty();
}

util::Result<engine::StatusWritten> KubeStatusStore::change_whole(const engine::Node& node,
                                                                  const Change& change) {
  const auto turn = m_book.turn_of(node.uid);
  const std::lock_guard lock(*turn);
  const StatusBook::Entry present = m_book.newest(node);
  Json status = change(*present.status);
  KUBIST_TRY(const bool sent, send(node, present, status));
  return engine::StatusWritten{std::move(status), sent};
}

util::Result<bool> KubeStatusStore::send(const engine::Node& node, const StatusBook::Entry& present,
                                         const Json& status) {
  const std::string ns =
      node.key.kind == "Project" ? resources::project_namespace(*node.object) : node.key.ns;
  if (m_world.dry_run != kube::DryRun::none || m_hidden.contains(ns)) {
    return false;
  }
  const Json patch = data::make_merge_patch(*present.status, status);
  if (patch.empty()) {
    return false;
  }
  Json body{{"status", patch}};
  kube::Writer::Rules rules;
  // A new Project has no namespace to lock in: two replicas may be at work on it.
  const bool no_lock = ns.empty() || (node.key.kind == "Project" &&
                                      data::string_at(*present.status, {"namespaceUID"}).empty());
  if (no_lock) {
    body["metadata"]["resourceVersion"] = present.resource_version;
  }
  if (!ns.empty()) {
    rules = m_world.locks.rules(ns, m_stop);
  }
  rules.field_manager = k_status_manager;
  const resources::ObjectView view(*node.object);
  KUBIST_TRY(const auto resource,
             m_world.home->discovery().find_kind(view.api_version(), node.key.kind));
  const kube::Writer writer(std::move(rules));
  const auto patch_it = [&] {
    return writer.patch({*m_world.home}, resource, node.key.ns, node.key.name,
                        kube::PatchType::merge, body, {.subresource = "status"});
  };
  auto after = patch_it();
  if (!after && no_lock && kube::is_conflict(after.error())) {
    const auto live = m_world.home->find(resource, node.key.ns, node.key.name, m_stop);
    if (live && *live && resources::ObjectView(**live).uid() == node.uid) {
      const std::string version(resources::ObjectView(**live).resource_version());
      if ((*live)->value("status", Json::object()) == *present.status) {
        body["metadata"]["resourceVersion"] = version;  // somebody changed something else
        after = patch_it();
      } else if (m_world.source != nullptr) {
        m_world.source->wrote(node.key, node.uid, version);  // the next plan is made with it
      }
    }
  }
  if (!after && after.error().kind == util::ErrorKind::not_found) {
    return false;
  }
  if (!after) {
    util::Error error = status_refused(after.error(), node);
    return util::fail(no_lock && kube::is_conflict(error)
                          ? util::with_reason(std::move(error), k_plan_changed)
                          : std::move(error));
  }
  const std::string version(resources::ObjectView(*after).resource_version());
  m_book.note(node.uid, {std::make_shared<const Json>(status), version});
  if (m_world.source != nullptr) {
    m_world.source->wrote(node.key, node.uid, version);
  }
  const std::lock_guard lock(m_mutex);
  m_changes.try_emplace(node.id, StatusChange{node.status(), {}}).first->second.after =
      part_of(node, status);
  return true;
}

}  // namespace kubist::executors
