#include "session/workload_watches.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <kubist/deployers/item.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::executors {

using engine::Key;
using util::cat;

/// The watch of one kind in one namespace.
class WorkloadWatches::One {
 public:
  One(const Reader& reader, const ReadWorkloads& read, const kube::ApiResource& resource,
      WatchRoom::Seat seat, Inbox& inbox, Absences& absences)
      : m_readers{reader} {
    kube::WatchOptions options;
    options.resource = resource;
    options.ns = read.ns;
    options.label_selector = cat("!", deployers::k_item_label);
    m_watch.emplace(
        read.client, std::move(options), MetadataWatch::Counts::all,
        cat(resource.group_resource(), " in ", read.ns, " at ", read.client->server(),
            " for traffic of ", reader.node.ns),
        std::move(seat), absences,
        [this, &inbox, kind = resource.kind](const std::string& ns, const std::string& name) {
          // No name: there is none, and what a run has found may have gone since.
          const std::string what = name.empty() ? kind : cat(kind, '/', ns, '/', name);
          const std::lock_guard lock(m_mutex);
          for (const Reader& each : m_readers) {
            inbox.push(each.node, {engine::Cause::drift, what});
          }
        });
  }

  void add(const Reader& reader) {
    const std::lock_guard lock(m_mutex);
    m_readers.insert(reader);
  }
  /// Is it of use to somebody else?
  bool leave(const Reader& reader) {
    const std::lock_guard lock(m_mutex);
    m_readers.erase(reader);
    return !m_readers.empty();
  }

 private:
  std::mutex m_mutex;
  std::set<Reader> m_readers;            ///< guarded by it
  std::optional<MetadataWatch> m_watch;  ///< last: its thread uses all of the above
};

WorkloadWatches::WorkloadWatches(WatchRoom& room, Inbox& inbox, Absences& absences)
    : m_room(room), m_inbox(inbox), m_absences(absences) {}
WorkloadWatches::~WorkloadWatches() = default;

void WorkloadWatches::keep(const Key& node, const ReadWorkloads& read) {
  const std::lock_guard lock(m_mutex);
  const Reader reader{node, read.target};
  std::set<Place> former = std::exchange(m_read[reader], {});
  const auto add = [&](const kube::ApiResource& resource) {
    const Place place = watch_place(node.ns, *read.client, resource, read.ns);
    former.erase(place);
    watch(place, reader, read, resource);
  };
  add(kube::well_known::pods());
  if (read.deployments) {
    add(kube::well_known::deployments());
  }
  for (const Place& place : former) {
    leave(place, reader);
  }
}

/// Where there is no room, or no thread, for it, the next run of the node tries again.
void WorkloadWatches::watch(const Place& place, const Reader& reader, const ReadWorkloads& read,
                            const kube::ApiResource& resource) {
  auto found = m_watches.find(place);
  if (found == m_watches.end()) {
    auto seat = m_room.take(place.project);
    if (!seat) {
      return;
    }
    std::unique_ptr<One> one;
    if (const auto started = util::guarded([&] {
          one = std::make_unique<One>(reader, read, resource, std::move(seat), m_inbox, m_absences);
        });
        !started) {
      m_absences.say(cat("watch of ", resource.group_resource(), " in ", read.ns, ": ",
                         started.error().message));
      return;
    }
    found = m_watches.emplace(place, std::move(one)).first;
  }
  found->second->add(reader);
  m_read[reader].insert(place);
}

void WorkloadWatches::leave(const Place& place, const Reader& reader) {
  const auto found = m_watches.find(place);
  if (found != m_watches.end() && !found->second->leave(reader)) {
    m_ended.end(std::move(found->second));
    m_watches.erase(found);
  }
}

void WorkloadWatches::follow(const std::vector<std::shared_ptr<kube::Client>>& clients,
                             const engine::Graph& graph) {
  const auto credentials = credentials_of(clients);
  const std::lock_guard lock(m_mutex);
  for (auto read = m_read.begin(); read != m_read.end();) {
    const auto& [reader, places] = *read;
    const bool is_gone = graph.find(reader.node).empty();
    const bool is_old = std::any_of(places.begin(), places.end(), [&](const Place& place) {
      return !credentials.contains(place.credential);
    });
    if (!is_gone && !is_old) {
      ++read;
      continue;
    }
    for (const Place& place : places) {
      leave(place, reader);
    }
    if (!is_gone) {
      m_inbox.push(reader.node, engine::Cause::drift);
    }
    read = m_read.erase(read);
  }
}

}  // namespace kubist::executors
