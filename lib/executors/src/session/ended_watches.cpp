#include "session/ended_watches.hpp"

#include <utility>

#include <kubist/util/threads.hpp>

namespace kubist::executors {

// Where there can be no more threads, they end with the next one that comes, or at the end.
void EndedWatches::end(Watch watch) {
  const std::lock_guard lock(m_mutex);
  m_watches.push_back(std::move(watch));
  if (!m_thread.joinable()) {
    if (auto thread = util::start_thread([this](const std::stop_token& stop) { work(stop); })) {
      m_thread = *std::move(thread);
    }
  }
  m_changed.notify_all();
}

// Not guarded: nothing throws here. An end is a destructor, and what that throws would end the
// process before it left it; the mutex is held by nobody who waits for this thread.
void EndedWatches::work(const std::stop_token& stop) {
  std::unique_lock lock(m_mutex);
  while (m_changed.wait(lock, stop, [this] { return !m_watches.empty(); })) {
    auto ended = std::exchange(m_watches, {});
    lock.unlock();
    ended.clear();
    lock.lock();
  }
}

}  // namespace kubist::executors
