#include "session/item_watch.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include <kubist/apply/compare.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/kube/resource_version.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::executors {

using data::Json;
using util::cat;
using Type = kube::WatchEventType;

namespace {

/// Of one object; where there are more, what an item applied counts as changed.
constexpr std::size_t k_most_managers = 64;

std::size_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

}  // namespace

ItemWatch::ItemWatch(const std::shared_ptr<kube::Client>& client, kube::ApiResource resource,
                     WatchPlace place, WatchRoom::Seat seat, Inbox& inbox, Absences& absences)
    : m_place(std::move(place)),
      m_inbox(inbox),
      m_absences(absences),
      m_client(client),
      m_seen(std::move(seat)) {
  m_name = cat(resource.group_resource(), m_place.ns.empty() ? "" : cat(" in ", m_place.ns), " at ",
               client->server(), " for items in ", m_place.project);
  m_options.ns = resource.namespaced ? m_place.ns : "";
  m_options.resource = std::move(resource);
  m_options.label_selector = std::string(deployers::k_managed_label);
  m_options.form = kube::Form::metadata;
  start();
}

ItemWatch::~ItemWatch() {
  m_watch = {};  // ends it
  m_absences.forget(m_name);
}

void ItemWatch::use(const std::shared_ptr<kube::Client>& client) {
  const std::lock_guard lock(m_use_mutex);
  if (m_away && (client != m_client || !m_watch)) {
    m_watch = {};
    m_absences.forget(m_name);
    m_away = false;
    m_client = client;
    start();
  }
}

/// Where it cannot begin, the next run of an item tries again.
void ItemWatch::start() {
  const auto started = util::guarded([this] {
    m_watch = watch_for_good(
        m_client, m_options, m_name, m_absences,
        [this](const kube::WatchEvent& event) { return take(event); },
        [this](const util::Error* trouble) { m_away = trouble != nullptr; });
  });
  if (!started) {
    m_options.on_trouble(started.error());
  }
}

void ItemWatch::keep(const std::shared_ptr<const ItemName>& item, const std::string& manager,
                     const std::vector<deployers::Kept>& objects) {
  const std::lock_guard lock(m_mutex);
  Item& own = m_items[item->uid];
  const std::vector<Wanted> former = std::move(own.objects);
  own = {item, hash_of(manager), {}};
  own.objects.reserve(objects.size());
  for (const deployers::Kept& kept : objects) {
    own.objects.push_back({name_of(kept.ref.ns, kept.ref.name),
                           kept.uid.empty() ? 0 : hash_of(kept.uid), kept.resource_version,
                           kept.fields});
  }
  std::ranges::sort(own.objects, {}, &Wanted::name);
  for (Wanted& wanted : own.objects) {
    const auto known = std::ranges::lower_bound(former, wanted.name, {}, &Wanted::name);
    wanted.told = known == former.end() || known->name != wanted.name ? 0 : known->told;
    check(own, wanted);
  }
}

void ItemWatch::leave(const std::shared_ptr<const ItemName>& item) {
  const std::lock_guard lock(m_mutex);
  if (const auto found = m_items.find(item->uid);
      found != m_items.end() && found->second.name == item) {
    m_items.erase(found);
  }
}

void ItemWatch::rename(const std::shared_ptr<const ItemName>& item) {
  const std::lock_guard lock(m_mutex);
  if (const auto found = m_items.find(item->uid); found != m_items.end()) {
    found->second.name = item;
  }
}

void ItemWatch::rest() {
  const std::lock_guard lock(m_mutex);
  m_seen.rest();
  m_items = std::map(m_items);
}

std::string ItemWatch::name_of(std::string_view ns, std::string_view name) const {
  return m_options.ns == ns ? std::string(name) : cat(ns, '/', name);
}

bool ItemWatch::is_full() {
  const std::lock_guard lock(m_mutex);
  return m_seen.is_full();
}

util::Result<> ItemWatch::take(const kube::WatchEvent& event) {
  if (is_full()) {
    return {};
  }
  Seen seen = seen_of(event);  // for which nobody waits: an event may be long
  const std::lock_guard lock(m_mutex);
  const std::string name = name_of(event.ns, event.name);
  if (event.type != Type::listed) {
    m_version = event.resource_version;
  }
  if (event.type == Type::relisted) {
    m_seen.take_missing();
    m_complete = true;
    for (auto& [uid, item] : m_items) {
      for (Wanted& wanted : item.objects) {
        check(item, wanted);
      }
    }
  } else if (event.type == Type::listed) {
    m_seen.list(name);
    m_seen.put(name, std::move(seen));
  } else if (event.type == Type::deleted) {
    m_seen.erase(name);
    check(name);
  } else if (event.type != Type::bookmark) {
    m_seen.put(name, std::move(seen));
    check(name);
  }
  return {};
}

std::size_t ItemWatch::Seen::bytes() const {
  std::size_t bytes = resource_version.size();
  for (const auto& [manager, text] : fields) {
    bytes += sizeof(fields.front()) + text.size();
  }
  return bytes;
}

ItemWatch::Seen ItemWatch::seen_of(const kube::WatchEvent& event) {
  Seen seen{hash_of(event.uid), std::string(event.resource_version), {}};
  const auto read = event.json();
  const Json object = read ? *read : Json();
  for (auto& [manager, fields] :
       apply::applied_fields_of(object, deployers::k_item_manager, k_most_managers)) {
    seen.fields.emplace_back(hash_of(manager), std::move(fields));
  }
  return seen;
}

void ItemWatch::check(const std::string& name) {
  for (auto& [uid, item] : m_items) {
    for (Wanted& wanted : std::ranges::equal_range(item.objects, name, {}, &Wanted::name)) {
      check(item, wanted);
    }
  }
}

void ItemWatch::check(const Item& item, Wanted& wanted) {
  if (!m_complete || m_seen.is_full()) {
    return;
  }
  const Seen* seen = m_seen.find(wanted.name);
  if (!wanted.resource_version.empty() &&
      kube::is_newer(wanted.resource_version,
                     seen != nullptr ? seen->resource_version : m_version)) {
    return;  // the run saw what the watch has not told yet
  }
  Hash state = hash_of("gone");
  bool same = wanted.uid == 0;
  if (seen != nullptr) {
    const auto fields =
        std::ranges::find(seen->fields, item.manager, &std::pair<Hash, std::string>::first);
    const std::string own = fields == seen->fields.end() ? "" : fields->second;
    state = hash_of(cat(seen->uid, ' ', own));
    same = wanted.uid == seen->uid &&
           (wanted.fields.empty() || apply::same_fields(wanted.fields, own));
  }
  if (same) {
    wanted.told = 0;
  } else if (wanted.told != state) {
    wanted.told = state;
    const std::string name = wanted.name.substr(wanted.name.find('/') + 1);
    m_inbox.push(item.name->node, {engine::Cause::drift, cat(m_options.resource.kind, '/', name)});
  }
}

}  // namespace kubist::executors
