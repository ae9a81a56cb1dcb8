#include "session/watch_room.hpp"

#include <kubist/util/text.hpp>

namespace kubist::executors {

WatchPlace watch_place(const std::string& project, kube::Client& client,
                       const kube::ApiResource& resource, const std::string& ns) {
  return {project, &client.discovery(), client.impersonated_user(), resource.group_resource(), ns};
}

std::set<const kube::Discovery*> credentials_of(
    const std::vector<std::shared_ptr<kube::Client>>& clients) {
  std::set<const kube::Discovery*> credentials;
  for (const auto& client : clients) {
    credentials.insert(&client->discovery());
  }
  return credentials;
}

WatchRoom::Seat WatchRoom::take(const std::string& project) {
  const std::lock_guard lock(m_mutex);
  std::size_t& own = m_taken[project];
  if (own < m_limits.of_project && m_all < m_limits.in_all) {
    ++own;
    ++m_all;
    return {this, [this, project](void*) { give_back(project); }};
  }
  if (m_full.insert(project).second) {
    const bool is_full = own >= m_limits.of_project;
    m_absences.say(util::cat("project namespace ", project,
                             ": changes by others of objects beyond ",
                             is_full ? m_limits.of_project : m_limits.in_all, ' ', m_limits.of,
                             " of ", is_full ? "one project" : "all projects",
                             " are noticed only by the resync (docs/reference/limits.md)"));
  }
  return nullptr;
}

void WatchRoom::give_back(const std::string& project) {
  const std::lock_guard lock(m_mutex);
  --m_all;
  if (--m_taken[project] == 0) {
    m_taken.erase(project);
  }
}

}  // namespace kubist::executors
