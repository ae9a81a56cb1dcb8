#include "session/read_watches.hpp"

#include <array>
#include <string_view>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using engine::Key;
using util::cat;

namespace {

/// Where the spec of a kind names what kubist itself reads for it. `*`: in each entry. Not what
/// pods read (envFrom), and nothing inside manifests, values or templates, which others write. A
/// Project's notifications read their Secrets each time.
struct Reference {
  std::string_view kind, path, read;
};
constexpr std::array k_references{
    Reference{"Cluster", "kubeconfigSecretRef", "Secret"},
    Reference{"Cluster", "istio.source.configMapRef", "ConfigMap"},
    Reference{"Execution", "imports.*.secretRef", "Secret"},
    Reference{"Execution", "imports.*.configMapRef", "ConfigMap"},
    Reference{"Execution", "items.*.imports.*.secretRef", "Secret"},
    Reference{"Execution", "items.*.imports.*.configMapRef", "ConfigMap"},
    Reference{"DeployItem", "import.secretRef", "Secret"},
    Reference{"DeployItem", "config.kubist.import.secretRef", "Secret"},  // upstream's shape
    Reference{"CanaryRelease", "metrics.prometheus.authorizationSecretRef", "Secret"},
    Reference{"Experiment", "goals.*.source.prometheus.authorizationSecretRef", "Secret"},
};

void collect_names(const Json& value, std::string_view path, std::set<std::string>& names) {
  if (path.empty()) {
    names.emplace(data::string_at(value, {"name"}));
    return;
  }
  const auto dot = path.find('.');
  const std::string_view first = path.substr(0, dot);
  const std::string_view rest = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  if (first == "*") {
    for (const Json& entry : data::array_at(value, {})) {
      collect_names(entry, rest, names);
    }
  } else if (const Json* inner = data::find_path(value, {first})) {
    collect_names(*inner, rest, names);
  }
}

}  // namespace

std::set<Read> reads_of(const engine::Node& node) {
  std::set<Read> reads;
  for (const Reference& reference : k_references) {
    std::set<std::string> names;
    if (reference.kind == node.key.kind) {
      collect_names(node.spec(), reference.path, names);
    }
    names.erase("");
    for (const std::string& name : names) {
      reads.insert({std::string(reference.read), node.key.ns, name});
    }
  }
  return reads;
}

ReadWatches::ReadWatches(std::shared_ptr<kube::Client> home, Inbox& inbox, Absences& absences)
    : m_home(std::move(home)), m_inbox(inbox), m_absences(absences) {}

void ReadWatches::watch(const std::string& kind, const std::string& ns, Place& place) {
  kube::WatchOptions options;
  options.resource =
      kind == "Secret" ? kube::well_known::secrets() : kube::well_known::config_maps();
  options.ns = ns;
  const std::string name = cat(options.resource.group_resource(), " in ", ns);
  place.watch = std::make_unique<MetadataWatch>(
      m_home, std::move(options), MetadataWatch::Counts::data, name, nullptr, m_absences,
      [this, &place, kind, ns](const std::string&, const std::string& changed) {
        const std::lock_guard lock(place.mutex);
        const auto readers = place.readers.find(changed);
        for (const Key& key : readers == place.readers.end() ? std::set<Key>() : readers->second) {
          m_inbox.push(key,
                       {engine::Cause::drift,
                        cat(kind, '/', ns, '/', changed)});  // its own writes have to end some time
        }
      });
}

void ReadWatches::follow(const engine::Graph& graph, const WatchedNamespaces& watched) {
  std::map<std::pair<std::string, std::string>, Readers> readers;
  for (const engine::Node& node : graph.nodes()) {
    for (const Read& read : watched.allows(node.key.ns) ? reads_of(node) : std::set<Read>()) {
      readers[{read.kind, read.ns}][read.name].insert(node.key);
    }
  }
  std::erase_if(m_places, [&](const auto& each) { return !readers.contains(each.first); });
  for (auto& [where, of_place] : readers) {
    auto& place = m_places[where];
    if (!place) {
      place = std::make_unique<Place>();
    }
    {
      const std::lock_guard lock(place->mutex);
      place->readers = std::move(of_place);
    }
    if (!place->watch) {
      watch(where.first, where.second, *place);
    }
  }
}

}  // namespace kubist::executors
