#include "session/item_watches.hpp"

#include <algorithm>
#include <functional>
#include <utility>

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

ItemWatches::Parts ItemWatches::parts_of(const Key& node, const deployers::KeptObjects& kept) {
  Parts parts;
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
  return parts;
}

void ItemWatches::keep(const Key& node, const deployers::KeptObjects& kept) {
  const Parts parts = parts_of(node, kept);
  Name name;
  Watches former;
  std::vector<std::pair<std::shared_ptr<ItemWatch>, const Part*>> used;
  {
    const std::lock_guard lock(m_mutex);
    Item& item = m_items[kept.item];
    if (!item.name || item.name->node != node) {
      item.name = std::make_shared<const ItemName>(ItemName{node, kept.item});
    }
    name = item.name;
    former = std::exchange(item.watches, {});
    for (const auto& [place, part] : parts) {
      if (auto watch = watch_of(place, kept.client, part.resource)) {
        item.watches.push_back(watch);
        std::erase(former, watch);
        used.emplace_back(std::move(watch), &part);
      }
    }
    if (kept.objects.empty()) {
      m_items.erase(kept.item);
    }
  }
  for (const auto& [watch, part] : used) {
    watch->use(kept.client);
    watch->keep(name, kept.manager, part->objects);
  }
  leave(name, std::move(former));
  if (!is_kept(name)) {  // its node has gone meanwhile
    for (const auto& [watch, part] : used) {
      watch->leave(name);
    }
  }
}

bool ItemWatches::is_kept(const Name& item) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_items.find(item->uid);
  return found != m_items.end() && found->second.name == item;
}

/// Null: there is no room for one more.
std::shared_ptr<ItemWatch> ItemWatches::watch_of(const Place& place,
                                                 const std::shared_ptr<kube::Client>& client,
                                                 const kube::ApiResource& resource) {
  auto& known = m_watches[place];
  auto watch = known.lock();
  if (!watch) {
    if (auto seat = m_room.take(place.project)) {
      const util::MemoryScope memory(util::Stay::lasting);
      watch = std::make_shared<ItemWatch>(client, resource, place, std::move(seat), m_inbox,
                                          m_absences);
      known = watch;
    } else {
      m_watches.erase(place);
    }
  }
  return watch;
}

void ItemWatches::follow(const std::vector<std::shared_ptr<kube::Client>>& clients,
                         const engine::Graph& graph) {
  const auto credentials = credentials_of(clients);
  const auto is_ended = [&](const auto& each) {
    return !credentials.contains(each->place().credential);
  };
  std::vector<Item> left;
  {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_watches, [](const auto& each) { return each.second.expired(); });
    for (auto entry = m_items.begin(); entry != m_items.end();) {
      Item& item = entry->second;
      if (graph.find(item.name->node).empty()) {
        left.push_back(std::move(item));
        entry = m_items.erase(entry);
        continue;
      }
      ++entry;
      const auto ended = std::ranges::partition(item.watches, std::not_fn(is_ended));
      if (!ended.empty()) {
        left.push_back({item.name, Watches(ended.begin(), ended.end())});
        item.watches.erase(ended.begin(), ended.end());
        m_inbox.push(item.name->node, engine::Cause::drift);
      }
    }
  }
  for (Item& item : left) {
    leave(item.name, std::move(item.watches));
  }
}

void ItemWatches::leave(const Name& item, Watches watches) {
  for (auto& watch : watches) {
    watch->leave(item);
    m_ended.end(std::move(watch));
  }
}

// No run is under way, which could wait.
void ItemWatches::rest() {
  const std::lock_guard lock(m_mutex);
  m_items = std::map(m_items);  // close together
  for (auto& [uid, item] : m_items) {
    item.name = std::make_shared<const ItemName>(*item.name);
    for (const auto& watch : item.watches) {
      watch->rename(item.name);
    }
  }
  for (const auto& [place, known] : m_watches) {
    if (const auto watch = known.lock()) {
      watch->rest();
    }
  }
}

}  // namespace kubist::executors
