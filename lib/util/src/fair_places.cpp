#include <kubist/util/fair_places.hpp>

namespace kubist::util {

FairPlaces::Place::~Place() {
  if (m_places != nullptr) {
    const std::lock_guard lock(m_places->m_mutex);
    m_places->m_queue.give_back(m_group);
    m_places->give_out();
  }
}

std::optional<FairPlaces::Place> FairPlaces::take(const std::string& group,
                                                  const std::stop_token& stop) {
  Waiter own;
  std::unique_lock lock(m_mutex);
  m_queue.push(group, &own);
  give_out();
  if (!own.wake.wait(lock, stop, [&] { return own.has_place; })) {
    m_queue.remove_if([&](const Waiter* each) { return each == &own; });
    return std::nullopt;
  }
  lock.unlock();
  return std::optional<Place>(std::in_place, *this, group);
}

std::optional<FairPlaces::Place> FairPlaces::try_take(const std::string& group) {
  const std::lock_guard lock(m_mutex);
  return m_queue.try_take(group) ? std::optional<Place>(std::in_place, *this, group) : std::nullopt;
}

void FairPlaces::give_out() {
  while (const auto next = m_queue.pop()) {
    (*next)->has_place = true;
    (*next)->wake.notify_one();
  }
}

}  // namespace kubist::util
