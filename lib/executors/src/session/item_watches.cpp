#include "session/item_watches.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>

#include <kubist/apply/compare.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/raw_format.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/kube/resource_version.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::executors {

using data::Json;
using deployers::Kept;
using engine::Key;
using util::cat;
using Type = kube::WatchEventType;

/// The watch of one kind in one namespace.
class ItemWatches::One {
 public:
  One(const std::shared_ptr<kube::Client>& client, kube::ApiResource resource,
      const std::string& ns, const std::string& project, WatchRoom::Seat seat, Inbox& inbox,
      Absences& absences)
      : m_seat(std::move(seat)), m_inbox(inbox), m_absences(absences), m_client(client) {
    m_name = cat(resource.group_resource(), ns.empty() ? "" : cat(" in ", ns), " at ",
                 client->server(), " for items in ", project);
    m_options.ns = resource.namespaced ? ns : "";
    m_options.resource = std::move(resource);
    m_options.label_selector = std::string(deployers::k_managed_label);
    m_options.form = kube::Form::metadata;
    start();
  }
  ~One() {
    m_thread = {};  // ends and joins it
    m_absences.forget(m_name);
  }
  One(const One&) = delete;
  One& operator=(const One&) = delete;

  /// That is how a run now goes there: where this watch is refused, that may have other
  /// credentials.
  void use(const std::shared_ptr<kube::Client>& client) {
    if (m_away && (client != m_client || !m_thread.joinable())) {
      m_thread = {};
      m_absences.forget(m_name);
      m_away = false;
      m_client = client;
      start();
    }
  }

  void keep(const std::string& item, const Key& node, const std::string& manager,
            const std::vector<Kept>& objects) {
    const std::lock_guard lock(m_mutex);
    std::map<std::string, Wanted> former = std::exchange(m_wanted[item], {});
    for (const Kept& kept : objects) {
      const std::string name = cat(kept.ref.ns, '/', kept.ref.name);
      Wanted& wanted = m_wanted[item][name];
      wanted = {node, manager, kept, former[name].told};
      check(name, wanted);
    }
  }
  void leave(const std::string& item) {
    const std::lock_guard lock(m_mutex);
    m_wanted.erase(item);
  }
  bool is_used() {
    const std::lock_guard lock(m_mutex);
    return !m_wanted.empty();
  }

 private:
  /// What the watch has told of an object.
  struct Seen {
    std::string uid, resource_version;
    std::map<std::string, std::string> fields;  ///< by field manager of an item
  };
  struct Wanted {
    Key node;
    std::string manager;
    Kept kept;
    /// What was seen when it was last told to be drift: nothing is told of that twice, as it may
    /// have to stay so.
    std::string told;
  };

  /// Where it has no thread, the next run of an item tries again.
  void start() {
    const auto started = util::guarded([this] {
      m_thread = watch_for_good(
          m_client, m_options, m_name, m_absences,
          [this](const kube::WatchEvent& event) { return take(event); },
          [this](bool away) { m_away = away; });
    });
    if (!started) {
      m_options.on_trouble(started.error());
    }
  }

  util::Result<> take(const kube::WatchEvent& event) {
    const std::lock_guard lock(m_mutex);
    const std::string name = cat(event.ns, '/', event.name);
    if (event.type != Type::listed) {
      m_version = event.resource_version;
    }
    if (event.type == Type::relisted) {
      take_missing(m_seen, m_listed);
      m_complete = true;
      check_all();
    } else if (event.type == Type::listed) {
      m_listed.insert(name);
      m_seen[name] = seen_of(event);
    } else if (event.type == Type::deleted) {
      m_seen.erase(name);
      check(name);
    } else if (event.type != Type::bookmark) {
      m_seen[name] = seen_of(event);
      check(name);
    }
    return {};
  }

  static Seen seen_of(const kube::WatchEvent& event) {
    Seen seen{std::string(event.uid), std::string(event.resource_version), {}};
    const auto read = event.json();
    const Json object = read ? *read : Json();
    for (const Json& entry : data::array_at(object, {"metadata", "managedFields"})) {
      const std::string manager(data::string_at(entry, {"manager"}));
      if (manager.starts_with(deployers::k_item_manager)) {
        seen.fields[manager] = apply::applied_fields(object, manager);
      }
    }
    return seen;
  }

  void check_all() {
    for (auto& [item, objects] : m_wanted) {
      for (auto& [name, wanted] : objects) {
        check(name, wanted);
      }
    }
  }
  void check(const std::string& name) {
    for (auto& [item, objects] : m_wanted) {
      if (const auto wanted = objects.find(name); wanted != objects.end()) {
        check(name, wanted->second);
      }
    }
  }
  void check(const std::string& name, Wanted& wanted) {
    if (!m_complete) {
      return;
    }
    const auto found = m_seen.find(name);
    const bool there = found != m_seen.end();
    const Kept& kept = wanted.kept;
    if (!kept.resource_version.empty() &&
        kube::is_newer(kept.resource_version, there ? found->second.resource_version : m_version)) {
      return;  // the run saw what the watch has not told yet
    }
    std::string state = "gone";
    bool same = kept.uid.empty();
    if (there) {
      const Seen& seen = found->second;
      const auto fields = seen.fields.find(wanted.manager);
      const std::string own = fields == seen.fields.end() ? "" : fields->second;
      state = cat(seen.uid, ' ', own);
      same = kept.uid == seen.uid && (kept.fields.empty() || apply::same_fields(kept.fields, own));
    }
    if (same) {
      wanted.told.clear();
    } else if (wanted.told != state) {
      wanted.told = state;
      m_inbox.push(wanted.node, {engine::Cause::drift, resources::to_string(kept.ref)});
    }
  }

  WatchRoom::Seat m_seat;
  Inbox& m_inbox;
  Absences& m_absences;
  std::shared_ptr<kube::Client> m_client;
  std::string m_name;
  kube::WatchOptions m_options;
  std::atomic<bool> m_away = false;
  std::mutex m_mutex;                  ///< guards what follows, but the thread
  std::map<std::string, Seen> m_seen;  ///< by namespace and name
  std::set<std::string> m_listed;      ///< by the listing that is under way
  bool m_complete = false;             ///< it was listed once
  std::string m_version;               ///< of the last event
  std::map<std::string, std::map<std::string, Wanted>> m_wanted;  ///< by item and name
  std::jthread m_thread;  ///< last: it uses all of the above
};

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
  item.node = node;
  std::set<Place> former = std::exchange(item.places, {});
  std::erase_if(former, [&](const Place& each) { return parts.contains(each); });
  leave(kept.item, former);
  for (const auto& [place, part] : parts) {
    if (One* watch = watch_of(place, kept.client, part.resource)) {
      item.places.insert(place);
      watch->keep(kept.item, node, kept.manager, part.objects);
    }
  }
  if (kept.objects.empty()) {
    m_items.erase(kept.item);
  }
}

/// Null: there is no room for one more.
ItemWatches::One* ItemWatches::watch_of(const Place& place,
                                        const std::shared_ptr<kube::Client>& client,
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
  auto made = std::make_unique<One>(client, resource, place.ns, place.project, std::move(seat),
                                    m_inbox, m_absences);
  return m_watches.emplace(place, std::move(made)).first->second.get();
}

void ItemWatches::follow(const std::vector<std::shared_ptr<kube::Client>>& clients,
                         const engine::Graph& graph) {
  const std::lock_guard lock(m_mutex);
  for (auto item = m_items.begin(); item != m_items.end();) {
    if (graph.find(item->second.node).empty()) {
      leave(item->first, item->second.places);
      item = m_items.erase(item);
    } else {
      ++item;
    }
  }
  const auto credentials = credentials_of(clients);
  for (auto& [uid, item] : m_items) {
    std::set<Place> ended = item.places;
    std::erase_if(ended, [&](const Place& each) { return credentials.contains(each.credential); });
    if (!ended.empty()) {
      leave(uid, ended);
      std::erase_if(item.places, [&](const Place& each) { return ended.contains(each); });
      m_inbox.push(item.node, engine::Cause::drift);
    }
  }
}

void ItemWatches::leave(const std::string& item, const std::set<Place>& places) {
  for (const Place& place : places) {
    const auto watch = m_watches.find(place);
    if (watch != m_watches.end()) {
      watch->second->leave(item);
      if (!watch->second->is_used()) {
        m_watches.erase(watch);
      }
    }
  }
}

}  // namespace kubist::executors
