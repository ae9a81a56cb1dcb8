#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <kubist/engine/graph.hpp>

#include "session/metadata_watch.hpp"
#include "session/watches.hpp"

namespace kubist::executors {

/// What a node reads besides its own object.
struct Read {
  std::string kind;  ///< "Secret" or "ConfigMap"
  std::string ns, name;
  auto operator<=>(const Read&) const = default;
};

/// The Secrets and ConfigMaps that the spec names and kubist itself reads: kubeconfigs, imports,
/// Istio's manifests, credentials of Prometheus. Pure.
std::set<Read> reads_of(const engine::Node& node);

/// Watches the Secrets and ConfigMaps at home that nodes read, by their metadata: a change of their
/// data asks for the nodes that read them, and no others, as their drift: with its pace, for where
/// what a node keeps is what it reads. One thread.
class ReadWatches {
 public:
  /// REQUIRES: `inbox` and `absences` outlive it.
  ReadWatches(std::shared_ptr<kube::Client> home, Inbox& inbox, Absences& absences);
  /// Watches what the nodes of this graph in the watched namespaces read, ends the watches of what
  /// none does any more.
  void follow(const engine::Graph& graph, const WatchedNamespaces& watched);

 private:
  using Readers = std::map<std::string, std::set<engine::Key>>;  ///< by the name of what they read
  /// The watch of one kind in one namespace.
  struct Place {
    std::mutex mutex;
    Readers readers;  ///< guarded by it
    std::unique_ptr<MetadataWatch> watch;
  };
  void watch(const std::string& kind, const std::string& ns, Place& place);

  std::shared_ptr<kube::Client> m_home;
  Inbox& m_inbox;
  Absences& m_absences;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Place>> m_places;  ///< kind, ns
};

}  // namespace kubist::executors
