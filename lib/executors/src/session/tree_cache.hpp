#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "session/kind_watch.hpp"

namespace kubist::executors {

/// The objects of the tree as watches hold them. Any thread.
class TreeCache final : public ObjectSource {
 public:
  /// REQUIRES: `watch` outlives it.
  void add(const kube::ApiResource& resource, KindWatch& watch);
  std::optional<Objects> list(const kube::ApiResource& resource, const std::string& ns,
                              const std::stop_token& stop) override;
  std::set<std::string> limits(const std::stop_token& stop) override;
  void wrote(const engine::Key& key, const std::string& uid,
             const std::string& resource_version) override;

 private:
  std::mutex m_mutex;
  std::map<std::string, KindWatch*> m_watches;  ///< by group and resource
  /// By group and kind: what its watch has not been seen to tell of yet.
  std::map<std::pair<std::string, std::string>, WrittenVersions> m_written;
};

}  // namespace kubist::executors
