#include "session/item_watches.hpp"

#include <algorithm>
#include <iterator>

#include <kubist/util/memory.hpp>

#include "session/item_watch.hpp"

namespace kubist::executors {

using deployers::Kept;
using engine::Key;

namespace {

bool may_be_watched(const kube::ApiResource& resource) {
  return resource.has_verb("watch") && !(resource.group.empty() && resource.kind == "Secret");
}

}  // namespace

ItemWatches::ItemWatches(WatchRoom& room, Inbox& inbox, Absences& absences)
    : m_room(room), m_inbox(inbox), m_absences(absences) {}
ItemWatches::~ItemWatches() = default;

void ItemWatches::keep(const Key& node, const deployers::KeptObjects& kept) {
  struct Part {
    kube::ApiResource resource;
    std::vector<Kept> objects;
  };
  std::map<Place, Part> parts;
  const auto index =
      kept.objects.empty() ? nullptr : kept.client->discovery().index().value_or(nullptr);
  for (const Kept& one : kept.objects) {
    const kube::ApiResource* resource =
        index ? index->by_kind(one.ref.group, "", one.ref.kind) : nullptr;
    if (resource != nullptr && may_be_watched(*resource)) {
      Part& part = parts[watch_place(node.ns, *kept.client, *resource, one.ref.ns)];
      part.resource = *resource;
      part.objects.push_back(one);
    }
  }
  const std::lock_guard lock(m_mutex);
  Item& item = m_items[kept.item];
  if (!item.name || item.name->node != node) {
    item.name = std::make_shared<const ItemName>(ItemName{node, kept.item});
  }
  std::vector<ItemWatch*> former = std::exchange(item.watches, {});
  for (const auto& [place, part] : parts) {
    if (ItemWatch* watch = watch_of(place, kept.client, part.resource)) {
      item.watches.push_back(watch);
      std::erase(former, watch);
      watch->keep(item.name, kept.manager, part.objects);
    }
  }
  leave(*item.name, former);
  if (kept.objects.empty()) {
    m_items.erase(kept.item);
  }
}

/// Null: there is no room for one more.
ItemWatch* ItemWatches::watch_of(const Place& place, const std::shared_ptr<kube::Client>& client,
                                 const kube::ApiResource& resource) {
  const auto watch = m_watches.find(place);
  if (watch != m_watches.end()) {
    watch->second->use(client);
    return watch->second.get();
  }
  auto seat = m_room.take(place.project);
  if (!seat) {
    return nullptr;
  }
  const util::MemoryScope memory(util::Stay::lasting);
  auto made =
      std::make_unique<ItemWatch>(client, resource, place, std::move(seat), m_inbox, m_absences);
  return m_watches.emplace(place, std::move(made)).first->second.get();
}

void ItemWatches::follow(const std::vector<std::shared_ptr<kube::Client>>& clients,
                         const engine::Graph& graph) {
  const std::lock_guard lock(m_mutex);
  for (auto item = m_items.begin(); item != m_items.end();) {
    if (graph.find(item->second.name->node).empty()) {
      leave(*item->second.name, item->second.watches);
      item = m_items.erase(item);
    } else {
      ++item;
    }
  }
  const auto credentials = credentials_of(clients);
  for (auto& [uid, item] : m_items) {
    const auto is_ended = [&](const ItemWatch* each) {
      return !credentials.contains(each->place().credential);
    };
    std::vector<ItemWatch*> ended;
    std::ranges::copy_if(item.watches, std::back_inserter(ended), is_ended);
    if (!ended.empty()) {
      std::erase_if(item.watches, is_ended);
      leave(*item.name, ended);
      m_inbox.push(item.name->node, engine::Cause::drift);
    }
  }
}

void ItemWatches::leave(const ItemName& item, const std::vector<ItemWatch*>& watches) {
  for (ItemWatch* watch : watches) {
    watch->leave(item);
    if (!watch->is_used()) {
      m_watches.erase(WatchPlace(watch->place()));
    }
  }
}

void ItemWatches::rest() {
  const std::lock_guard lock(m_mutex);
  m_items = std::map(m_items);  // close together
  for (auto& [uid, item] : m_items) {
    item.name = std::make_shared<const ItemName>(*item.name);
    for (ItemWatch* watch : item.watches) {
      watch->rename(item.name);
    }
  }
  for (const auto& [place, watch] : m_watches) {
    watch->rest();
  }
}

}  // namespace kubist::executors
