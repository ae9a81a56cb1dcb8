#include "world/held_leases.hpp"

#include <kubist/util/text.hpp>

namespace kubist::executors {

util::Error not_renewed(const std::string& ns) {
  return util::make_error(util::ErrorKind::conflict,
                          util::cat("the lock of project namespace ", ns, " could not be renewed"),
                          "Run again; check that the API server is reachable.", "Locked");
}

std::shared_ptr<HeldLeases::One> HeldLeases::join(const std::string& ns,
                                                  const std::string& identity,
                                                  const engine::LockTimes& times) {
  const std::lock_guard lock(m_mutex);
  Shared& shared = m_shared[ns];
  if (shared.users++ == 0) {
    shared.one = std::make_shared<One>(identity, times);
  }
  return shared.one;
}

bool HeldLeases::leave(const std::string& ns) {
  const std::lock_guard lock(m_mutex);
  const auto shared = m_shared.find(ns);
  if (--shared->second.users > 0) {
    return false;
  }
  m_shared.erase(shared);
  return true;
}

void HeldLeases::freed(const std::string& ns, const std::string& version) {
  const std::lock_guard lock(m_mutex);
  m_alone[ns].freed = version;
}

void HeldLeases::taken(const std::string& ns, const std::string& version,
                       util::BootClock::time_point now) {
  const std::lock_guard lock(m_mutex);
  Alone& alone = m_alone[ns];
  if (version.empty() || alone.freed != version) {
    alone.since = now;
  }
  alone.freed.clear();
}

util::BootClock::time_point HeldLeases::since(const std::string& ns) const {
  const std::lock_guard lock(m_mutex);
  return m_alone.at(ns).since;
}

}  // namespace kubist::executors
