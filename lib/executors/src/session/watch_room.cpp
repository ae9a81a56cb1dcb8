#include "session/watch_room.hpp"

#include <kubist/util/text.hpp>

namespace kubist::executors {

using util::cat;

namespace {

constexpr std::size_t k_most_known = std::size_t{256} << 20U;

}  // namespace

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
  Taken& own = m_taken[project];
  if (own.places < m_limits.of_project && m_all < m_limits.in_all) {
    ++own.places;
    ++m_all;
    return std::make_shared<Place>(*this, project);
  }
  const bool is_full = own.places >= m_limits.of_project;
  say_full(project, cat(is_full ? m_limits.of_project : m_limits.in_all, ' ', m_limits.of, " of ",
                        is_full ? "one project" : "all projects"));
  return nullptr;
}

WatchRoom::Seat WatchRoom::take(const std::set<std::string>& projects) {
  Seat seat;
  for (auto project = projects.begin(); !seat && project != projects.end(); ++project) {
    seat = take(*project);
  }
  return seat;
}

void WatchRoom::say_full(const std::string& project, const std::string& beyond) {
  if (m_full.insert(project).second) {
    m_absences.say(cat("project namespace ", project, ": changes by others of objects beyond ",
                       beyond, " are noticed only by the resync (docs/reference/limits.md)"));
  }
}

WatchRoom::Place::~Place() {
  const std::lock_guard lock(m_room.m_mutex);
  --m_room.m_all;
  if (--m_room.m_taken[m_project].places == 0) {
    m_room.m_taken.erase(m_project);
  }
}

bool WatchRoom::Place::grow(std::size_t bytes) {
  const std::lock_guard lock(m_room.m_mutex);
  std::size_t& own = m_room.m_taken[m_project].bytes;
  if (bytes > k_most_known - own) {
    m_room.say_full(m_project, cat(k_most_known >> 20U, " MiB that its watches know"));
    return false;
  }
  own += bytes;
  return true;
}

void WatchRoom::Place::shrink(std::size_t bytes) {
  const std::lock_guard lock(m_room.m_mutex);
  m_room.m_taken[m_project].bytes -= bytes;
}

}  // namespace kubist::executors
