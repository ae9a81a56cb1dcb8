#include "session/istio_watches.hpp"

#include <algorithm>

#include <kubist/util/text.hpp>

namespace kubist::executors {

using engine::Key;
using util::cat;

void IstioWatches::keep(const Key& cluster, const JudgedIstio& istio) {
  const std::lock_guard lock(m_mutex);
  leave(cluster, istio.client.get());
  if (!istio.client) {
    return;
  }
  const auto found = std::find_if(m_places.begin(), m_places.end(), [&](const auto& place) {
    return place->istio.client == istio.client;
  });
  Place& place =
      found != m_places.end() ? **found : *m_places.emplace_back(std::make_unique<Place>(istio));
  {
    const std::lock_guard guard(place.mutex);
    place.clusters.insert(cluster);
    place.istio.namespaces = istio.namespaces;
  }
  if (place.watches.empty()) {
    const bool is_home = istio.client.get() == &m_home;
    auto seat = is_home ? nullptr : m_room.take(cluster.ns);
    if (seat || is_home) {
      watch(place, std::move(seat));
    }
  }
}

// Metadata does not tell whether a Deployment is ready, so each write counts.
void IstioWatches::watch(Place& place, WatchRoom::Seat seat) {
  const auto changed = [this, &place](const std::string& ns, const std::string& name) {
    const std::lock_guard lock(place.mutex);
    const auto& namespaces = place.istio.namespaces;
    // No name: the first listing has nothing. What a run has found was deleted before it.
    const bool counts = ns.empty() ? !name.empty() || !namespaces.empty() : namespaces.contains(ns);
    if (!counts) {
      return;
    }
    place.istio.forget();
    for (const Key& cluster : place.clusters) {
      m_inbox.push(cluster, {engine::Cause::drift, util::cat("Istio: ", ns, '/', name)});
    }
  };
  const auto begin = [&](const kube::ApiResource& resource, const char* selector) {
    kube::WatchOptions options;
    options.resource = resource;
    options.label_selector = selector;
    place.watches.push_back(std::make_unique<MetadataWatch>(
        place.istio.client, std::move(options), MetadataWatch::Counts::all,
        cat("Istio's ", resource.group_resource(), " at ", place.istio.client->server()), seat,
        m_absences, changed));
  };
  begin(kube::well_known::deployments(), "app=istiod");
  begin(kube::well_known::mutating_webhooks(), "istio.io/rev");
  begin(kube::well_known::validating_webhooks(), "istio.io/rev");
}

void IstioWatches::leave(const Key& cluster, const kube::Client* but) {
  for (const auto& place : m_places) {
    const std::lock_guard lock(place->mutex);
    if (place->istio.client.get() != but) {
      place->clusters.erase(cluster);
    }
  }
  end_unused();
}

void IstioWatches::follow(const engine::Graph& graph) {
  const std::lock_guard lock(m_mutex);
  for (const auto& place : m_places) {
    const std::lock_guard guard(place->mutex);
    std::erase_if(place->clusters, [&](const Key& each) { return graph.find(each).empty(); });
  }
  end_unused();
}

void IstioWatches::end_unused() {
  const auto unused = std::ranges::partition(m_places, [](const auto& place) {
    const std::lock_guard lock(place->mutex);
    return !place->clusters.empty();
  });
  for (auto& place : unused) {
    m_ended.end(std::move(place));
  }
  m_places.erase(unused.begin(), unused.end());
}

}  // namespace kubist::executors
