#include "session/read_watches.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using data::Json;
using engine::Key;
using util::cat;

namespace {

void collect_reads(const Json& value, const std::string& ns, std::set<Read>& reads) {
  if (!value.is_structured()) {
    return;
  }
  for (const auto& [key, inner] : value.items()) {
    const std::string word = util::lower(key);
    const char* kind = word.ends_with("secretref")      ? "Secret"
                       : word.ends_with("configmapref") ? "ConfigMap"
                                                        : nullptr;
    const std::string_view name =
        kind != nullptr && inner.is_object() ? data::string_at(inner, {"name"}) : "";
    if (!name.empty()) {
      reads.insert({kind, ns, std::string(name)});
    }
    collect_reads(inner, ns, reads);
  }
}

}  // namespace

std::set<Read> reads_of(const engine::Node& node) {
  std::set<Read> reads;
  const std::string ns =
      node.key.kind == "Project" ? resources::project_namespace(*node.object) : node.key.ns;
  if (!ns.empty()) {
    collect_reads(node.spec(), ns, reads);
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
      m_home, std::move(options), MetadataWatch::Counts::data, name, m_absences,
      [this, &place](const std::string&, const std::string& changed) {
        const std::lock_guard lock(place.mutex);
        const auto readers = place.readers.find(changed);
        for (const Key& key : readers == place.readers.end() ? std::set<Key>() : readers->second) {
          m_inbox.push(key, engine::Cause::changed);
        }
      });
}

void ReadWatches::follow(const engine::Graph& graph) {
  std::map<std::pair<std::string, std::string>, Readers> readers;
  for (const engine::Node& node : graph.nodes()) {
    for (const Read& read : reads_of(node)) {
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
