#pragma once
#include <mutex>
#include <set>
#include <string>

namespace kubist::executors {

/// Names of namespaces. Any thread.
class NamespaceSet {
 public:
  void add(const std::string& ns) {
    const std::lock_guard lock(m_mutex);
    m_names.insert(ns);
  }
  bool has(const std::string& ns) const {
    const std::lock_guard lock(m_mutex);
    return m_names.contains(ns);
  }

 private:
  mutable std::mutex m_mutex;
  std::set<std::string> m_names;
};

}  // namespace kubist::executors
