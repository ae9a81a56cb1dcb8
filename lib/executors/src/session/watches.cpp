#include "session/watches.hpp"

#include <algorithm>
#include <stdexcept>

#include <kubist/data/pointer.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/executors/world.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "session/drift_watch.hpp"

namespace kubist::executors {

using data::Json;
using engine::Cause;
using engine::Key;
using util::cat;
using Type = kube::WatchEventType;

void Inbox::push(Key key, engine::Trigger cause) {
  const std::lock_guard lock(m_mutex);
  if (cause == Cause::drift && !m_drifted.insert(key).second) {
    return;
  }
  m_events.emplace_back(std::move(key), std::move(cause));
  m_wake.notify_all();
}

void Inbox::wake() {
  const std::lock_guard lock(m_mutex);
  m_woken = true;
  m_wake.notify_all();
}

void Inbox::saw() {
  if (m_wakes == Wakes::by_everything) {
    wake();
  }
}

void Inbox::retry(Sight there) {
  const std::lock_guard lock(m_mutex);
  m_retries.push_back(std::move(there));
  m_woken = true;
  m_wake.notify_all();
}

std::vector<Sight> Inbox::take_retries() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_retries, {});
}

Inbox::Events Inbox::take(std::optional<std::chrono::steady_clock::time_point> until,
                          const std::stop_token& stop) {
  std::unique_lock lock(m_mutex);
  const auto ready = [this] { return !m_events.empty() || m_woken; };
  if (until) {
    m_wake.wait_until(lock, stop, *until, ready);
  } else {
    m_wake.wait(lock, stop, ready);
  }
  m_woken = false;
  m_drifted.clear();
  return std::exchange(m_events, {});
}

kube::StandingWatch watch_for_good(const std::shared_ptr<kube::Client>& client,
                                   kube::WatchOptions& options, const std::string& name,
                                   Absences& absences, kube::WatchHandler handler,
                                   const std::function<void(util::Error* trouble)>& on_turn) {
  using Clock = std::chrono::steady_clock;
  options.on_trouble = [&absences, name, on_turn](util::Error error) {
    on_turn(&error);
    absences.trouble(name, error, Clock::now());
  };
  options.on_back = [&absences, name, on_turn, sight = Sight{client, options.ns}] {
    on_turn(nullptr);
    absences.back(name, Clock::now(), sight);
  };
  const auto take = [handler = std::move(handler)](const kube::WatchEvent& event) {
    const bool is_named = std::max(event.ns.size(), event.name.size()) <= kube::k_longest_name;
    return is_named ? handler(event) : util::Result<>();
  };
  auto begun = kube::StandingWatch::begin_lasting(client, options, take);
  if (!begun) {
    throw std::runtime_error(begun.error().message);
  }
  return *std::move(begun);
}

DriftWatches::DriftWatches(Session& session, WatchedNamespaces where, WatchRoom& room,
                           WatchRoom& cluster_room, Inbox& inbox, Absences& absences)
    : m_session(session),
      m_where(std::move(where)),
      m_room(room),
      m_cluster_room(cluster_room),
      m_inbox(inbox),
      m_absences(absences) {
  Watches none;
  watch_whole(session.home_client(), kube::well_known::namespaces(), {}, nullptr, none);
}
DriftWatches::~DriftWatches() = default;

bool DriftWatches::is_outdated() {
  const std::lock_guard lock(m_mutex);
  return m_outdated;
}

bool DriftWatches::is_limited() {
  const std::lock_guard lock(m_mutex);
  return !m_refused.empty();
}

void DriftWatches::makes_as(const Key& node, const std::shared_ptr<kube::Client>& maker) {
  const std::lock_guard lock(m_mutex);
  m_makers[node] = maker;
}

std::shared_ptr<kube::Client> DriftWatches::maker_of(const engine::Node* keeper) {
  const std::lock_guard lock(m_mutex);
  const auto found = keeper == nullptr ? m_makers.end() : m_makers.find(keeper->key);
  return found == m_makers.end() ? nullptr : found->second;
}

void DriftWatches::follow(const engine::Graph& graph) {
  const auto clients = m_session.clients();
  std::set<Whole> refused;
  {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_refused, [&](const Whole& each) {
      return std::find(clients.begin(), clients.end(), each.first) == clients.end();
    });
    std::erase_if(m_makers, [&](const auto& each) { return graph.find(each.first).empty(); });
    refused = m_refused;
    m_outdated = false;
  }
  tell_long_lists(graph);
  Watches former = std::exchange(m_watches, {});
  try {
    follow(graph, clients, refused, former);
    for (auto& [place, watch] : former) {
      m_ended.end(std::move(watch));
    }
  } catch (...) {  // such as no more threads: what was watched still is
    m_watches.merge(former);
    throw;
  }
}

void DriftWatches::tell_long_lists(const engine::Graph& graph) {
  auto now = find_long_lists(graph);
  for (const Key& node : now) {
    if (!m_long_lists.contains(node)) {
      m_absences.say(cat(resources::to_key(node),
                         ": changes by others of what its inventory has beyond ", k_most_kept,
                         " objects are noticed only by the resync (docs/reference/limits.md)"));
    }
  }
  m_long_lists = std::move(now);
}

void DriftWatches::follow(const engine::Graph& graph, const Clients& clients,
                          const std::set<Whole>& refused, Watches& former) {
  const auto kinds = kept_kinds(graph);
  auto keepers = find_keepers(graph, m_session);
  const auto places = refused.empty() ? KeptPlaces() : find_places(graph, m_session);
  for (const auto& client : clients) {
    const auto there = std::make_shared<const KeepersThere>(std::move(keepers[client.get()]));
    const auto watch = [&](const kube::ApiResource& resource, const std::set<std::string>& by) {
      if (refused.contains({client, resource.group_resource()})) {
        watch_parts(client, resource, places, there, former);
      } else {
        watch_whole(client, resource, by, there, former);
      }
    };
    watch(kube::well_known::namespaces(), {});
    const auto index = client->discovery().known();  // the loop waits for no cluster's server
    for (const auto& [kind, by] : kinds) {
      const auto* found = index ? index->by_kind(kind.first, "", kind.second) : nullptr;
      if (found != nullptr) {
        watch(*found, by);
      }
    }
  }
}

void DriftWatches::keep(const Place& place, WatchRoom& room, const Projects& projects,
                        const std::shared_ptr<const KeepersThere>& keepers, Watches& former,
                        const Make& make) {
  if (m_watches.contains(place)) {
    return;
  }
  if (auto found = former.extract(place)) {
    const auto& seat = found.mapped()->seat();
    if (projects ? seat && projects->contains(seat->project()) : !seat) {
      found.mapped()->follow(keepers);
      m_watches.insert(std::move(found));
      return;
    }
    m_ended.end(std::move(found.mapped()));  // whoever paid for it leads there no longer
  }
  auto seat = projects ? room.take(*projects) : nullptr;
  if (!projects || seat) {
    if (auto made = make(std::move(seat))) {
      m_watches.emplace(place, std::move(made));
    }
  }
}

DriftWatches::Projects DriftWatches::projects_at(const kube::Client& client,
                                                 const std::set<std::string>& by) {
  const bool is_home = &client == m_session.home_client().get();
  if (is_home && by.empty()) {
    return std::nullopt;
  }
  std::set<std::string> projects = is_home ? by : std::set<std::string>();
  for (const auto& [ns, name] : m_session.clusters_at(client).value_or(ClusterNames())) {
    projects.insert(ns);
  }
  return projects;
}

void DriftWatches::watch_whole(const std::shared_ptr<kube::Client>& client,
                               const kube::ApiResource& resource, const std::set<std::string>& by,
                               const std::shared_ptr<const KeepersThere>& keepers,
                               Watches& former) {
  const bool is_home = client == m_session.home_client();
  std::function<void(const util::Error&)> on_refused;
  if (m_session.replica() == nullptr) {  // whose role gives it the right, some time
    on_refused = [this, whole = Whole(client, resource.group_resource())](const util::Error&) {
      const std::lock_guard lock(m_mutex);
      m_refused.insert(whole);
      m_outdated = true;
      m_inbox.wake();
    };
  }
  keep({client, resource.group_resource(), "", "", ""}, is_home ? m_room : m_cluster_room,
       projects_at(*client, by), keepers, former, [&](WatchRoom::Seat seat) {
         return std::make_unique<DriftWatch>(
             m_session.home_uid(), DriftScope{client, is_home, resource, "", "", std::move(seat)},
             m_inbox, m_absences, keepers, std::move(on_refused));
       });
}

DriftWatches::Watcher DriftWatches::watcher_of(const engine::Node* keeper,
                                               const std::shared_ptr<kube::Client>& client,
                                               const KeptPlace& place) {
  if (client != m_session.home_client()) {
    return {.client = client};
  }
  if (!place.ns.empty() && keeper != nullptr && keeper->key.kind == "Project") {
    return {.user = resources::project_user(*keeper->object), .project = keeper};
  }
  const auto maker = maker_of(keeper);
  return {.user = maker ? maker->impersonated_user() : "", .client = maker ? maker : client};
}

void DriftWatches::watch_parts(const std::shared_ptr<kube::Client>& client,
                               const kube::ApiResource& resource, const KeptPlaces& places,
                               const std::shared_ptr<const KeepersThere>& keepers,
                               Watches& former) {
  std::map<Place, Watchers> parts;
  const auto there = places.find(client.get());
  for (const auto& [place, keeper] :
       there == places.end() ? KeptPlaces::mapped_type() : there->second) {
    const std::string ns = keeper_namespace(keeper);
    if ((ns.empty() || m_where.allows(ns)) && place.group == resource.group &&
        place.kind == resource.kind) {
      Watcher watcher = watcher_of(keeper, client, place);
      parts[{client, resource.group_resource(), place.ns, place.name, watcher.user}].emplace(
          ns, std::move(watcher));
    }
  }
  for (const auto& [place, by] : parts) {
    watch_part(place, resource, by, keepers, former);
  }
}

void DriftWatches::watch_part(const Place& place, const kube::ApiResource& resource,
                              const Watchers& by,
                              const std::shared_ptr<const KeepersThere>& keepers, Watches& former) {
  Projects projects{std::in_place};
  for (const auto& [project, watcher] : by) {
    projects->insert(project);
  }
  keep(place, m_room, projects, keepers, former,
       [&](WatchRoom::Seat seat) -> std::unique_ptr<DriftWatch> {
         const Watcher& watcher = by.at(seat->project());
         const auto as = watcher.project != nullptr
                             ? m_session.client_for(*watcher.project, {})
                             : util::Result<std::shared_ptr<kube::Client>>(watcher.client);
         if (!as) {
           return nullptr;
         }
         const bool is_home = place.cluster == m_session.home_client();
         // A run is about to look at a namespace, but has made what an inventory has.
         return std::make_unique<DriftWatch>(
             m_session.home_uid(),
             DriftScope{*as, is_home, resource, place.ns, place.name, std::move(seat)}, m_inbox,
             m_absences, resource.kind == "Namespace" ? nullptr : keepers, nullptr);
       });
}

}  // namespace kubist::executors
