#include "session/tree_cache.hpp"

#include <vector>

namespace kubist::executors {

void TreeCache::add(const kube::ApiResource& resource, KindWatch& watch) {
  const std::lock_guard lock(m_mutex);
  m_watches[resource.group_resource()] = &watch;
}

std::optional<Objects> TreeCache::list(const kube::ApiResource& resource, const std::string& ns,
                                       const std::stop_token& stop) {
  KindWatch* watch = nullptr;
  WrittenVersions written;
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_watches.find(resource.group_resource());
    if (found == m_watches.end()) {
      return std::nullopt;
    }
    watch = found->second;
    written = m_written[{resource.group, resource.kind}];
  }
  auto objects = watch->objects(ns, written, stop);
  if (objects) {
    const std::lock_guard lock(m_mutex);
    auto& all = m_written[{resource.group, resource.kind}];
    std::erase_if(all, [&](const auto& each) {
      const auto told = written.find(each.first);
      return told != written.end() && told->second.resource_version == each.second.resource_version;
    });
  }
  return objects;
}

std::set<std::string> TreeCache::limits(const std::stop_token& stop) {
  std::vector<KindWatch*> watches;
  {
    const std::lock_guard lock(m_mutex);
    for (const auto& [kind, watch] : m_watches) {
      watches.push_back(watch);
    }
  }
  std::set<std::string> namespaces;
  for (KindWatch* watch : watches) {
    namespaces.merge(watch->limits(stop));
  }
  return namespaces;
}

void TreeCache::wrote(const engine::Key& key, const std::string& uid,
                      const std::string& resource_version) {
  const std::lock_guard lock(m_mutex);
  m_written[{key.group, key.kind}][key] = {uid, resource_version};
}

}  // namespace kubist::executors
