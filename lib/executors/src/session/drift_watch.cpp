#include "session/drift_watch.hpp"

#include <algorithm>
#include <vector>

#include <kubist/data/json_outline.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/served.hpp>
#include <kubist/util/text.hpp>

#include "world/work.hpp"

namespace kubist::executors {

using data::Json;
using engine::Cause;
using engine::Key;
using util::cat;
using Type = kube::WatchEventType;

namespace {

std::string title(const DriftScope& scope) {
  return cat(scope.resource.group_resource(), scope.name.empty() ? "" : "/", scope.name,
             scope.ns.empty() ? "" : " in ", scope.ns, " at ", scope.client->server());
}

std::pair<std::string, std::string> name_of(const kube::WatchEvent& event) {
  return {std::string(event.ns), std::string(event.name)};
}

/// Anybody may write a mark, which may be as long as all annotations.
bool is_no_name(std::string_view part) { return part.size() > kube::k_longest_name; }

}  // namespace

DriftWatch::DriftWatch(std::string home_uid, DriftScope scope, Inbox& inbox, Absences& absences,
                       std::shared_ptr<const KeepersThere> keepers,
                       std::function<void(const util::Error&)> on_refused)
    : m_home_uid(std::move(home_uid)),
      m_scope(std::move(scope)),
      m_inbox(inbox),
      m_absences(absences),
      m_name(title(m_scope)),
      m_keepers(std::move(keepers)),
      m_known(m_scope.seat) {
  m_options.resource = m_scope.resource;
  m_options.ns = m_scope.ns;
  m_options.name = m_scope.name;
  m_options.label_selector = cat(resources::k_managed_by_label, "=kubist");
  m_options.form = kube::Form::metadata;
  m_options.on_refused = std::move(on_refused);
  m_watch = watch_for_good(m_scope.client, m_options, m_name, absences,
                           [this](const kube::WatchEvent& event) { return take(event); });
}

DriftWatch::~DriftWatch() {
  m_watch = {};  // ends it
  m_absences.forget(m_name);
}

void DriftWatch::follow(std::shared_ptr<const KeepersThere> keepers) {
  const std::lock_guard lock(m_mutex);
  m_keepers = std::move(keepers);
}

DriftWatch::Writers DriftWatch::writers_of(const Json& object, std::string_view owner_mark) {
  const std::string manager = field_manager(owner_mark);
  Writers writers;
  std::string others(resources::ObjectView(object).uid());
  for (const Json& entry : data::array_at(object, {"metadata", "managedFields"})) {
    if (data::string_at(entry, {"manager"}) == manager) {
      writers.owner_at = std::max(writers.owner_at, std::string(data::string_at(entry, {"time"})));
    } else {
      others += entry.dump();
    }
  }
  writers.others = std::hash<std::string>()(others);
  return writers;
}

/// What a run writes of its node's is no drift. Who takes a field away has no entry for it, but
/// moves no time. Times have whole seconds: of two writes in one the second may be anybody's.
bool DriftWatch::is_owners(const Writers& before, const Writers& now) {
  return before.others == now.others && before.owner_at < now.owner_at;
}

bool DriftWatch::is_late() {
  const std::lock_guard lock(m_mutex);
  return m_keepers != nullptr;
}

/// A Project keeps namespaces at home, which no member writes.
bool DriftWatch::is_kept(const Name& name, const Key& owner) {
  const std::lock_guard lock(m_mutex);
  if (m_keepers == nullptr || (owner.ns.empty() && m_scope.is_home && name.first.empty())) {
    return true;
  }
  const auto there = m_keepers->find(name.first.empty() ? name.second : name.first);
  return there != m_keepers->end() && there->second.contains(keeper_name(owner));
}

void DriftWatch::tell(const Name& name, const Key& owner) {
  if (is_kept(name, owner)) {
    m_inbox.push(owner, {Cause::drift, resources::to_string(resources::ObjectRef{
                                           "", m_options.resource.kind, name.first, name.second})});
  }
}

std::size_t DriftWatch::Known::bytes() const {
  return owner.group.size() + owner.kind.size() + owner.ns.size() + owner.name.size() +
         resource_version.size() + writers.owner_at.size();
}

util::Result<> DriftWatch::take(const kube::WatchEvent& event) {
  if (m_known.is_full()) {
    return {};
  }
  if (event.type == Type::relisted) {
    for (const auto& [name, known] : m_known.take_missing()) {
      tell(name, known.owner);
    }
  } else if (event.type == Type::deleted) {
    forget(name_of(event));
  } else if (event.type != Type::bookmark) {
    return learn(event);
  }
  return {};
}

util::Result<> DriftWatch::learn(const kube::WatchEvent& event) {
  const auto read = event.json();
  const Json object = read ? *read : data::outline(event.object);
  const std::string_view mark =
      resources::ObjectView(object).annotation(resources::k_owner_annotation);
  const auto parts = util::split(mark, '/');
  if (parts.size() != 4 || parts[0] != m_home_uid || std::ranges::any_of(parts, is_no_name)) {
    forget(name_of(event));
    return {};
  }
  const Name name = name_of(event);
  const auto [group, kind] = resources::read_qualified_kind(parts[1]);
  Known now{{group, kind, parts[2], parts[3]},
            std::string(event.resource_version),
            writers_of(object, mark)};
  const Known* before = m_known.find(name);
  const bool one_write = event.type != Type::listed;  // since the last event
  // A run looked at what a late listing finds first, but some time before it.
  const bool counts = before == nullptr
                          ? !one_write && is_late()
                          : before->resource_version != now.resource_version &&
                                !(one_write && is_owners(before->writers, now.writers));
  if (before != nullptr && before->owner != now.owner) {
    tell(name, before->owner);
  }
  if (!one_write) {
    m_known.list(name);
  }
  const Key owner = now.owner;
  if (m_known.put(name, std::move(now)) && counts) {
    tell(name, owner);
  }
  return {};
}

void DriftWatch::forget(const Name& name) {
  if (const Known* known = m_known.find(name)) {
    const Key owner = known->owner;
    m_known.erase(name);
    tell(name, owner);
  }
}

}  // namespace kubist::executors
