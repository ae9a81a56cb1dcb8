#include "arriving.hpp"

namespace kubist::http {

void Arriving::add(const std::string& origin, std::size_t bytes) {
  const std::lock_guard lock(m_mutex);
  m_all += bytes;
  m_by_origin[origin] += bytes;
}

void Arriving::end(const std::string& origin, std::size_t bytes) {
  const std::lock_guard lock(m_mutex);
  m_all -= bytes;
  const auto at = m_by_origin.find(origin);
  if (at != m_by_origin.end() && (at->second -= bytes) == 0) {
    m_by_origin.erase(at);
  }
}

bool Arriving::has_room(const std::string& origin, std::size_t body) {
  if (body <= k_free_body) {
    return true;
  }
  const std::lock_guard lock(m_mutex);
  return m_all <= k_most || (m_all <= 4 * k_most && m_by_origin[origin] <= k_free_server);
}

Arriving& arriving() {
  static Arriving& all = *new Arriving;  // workers may outlive what main() leaves to be destroyed
  return all;
}

}  // namespace kubist::http
