#include "aside.hpp"

#include <condition_variable>
#include <deque>
#include <utility>

#include <kubist/util/threads.hpp>

namespace kubist::kube {

/// Shared with the thread, whose last job may be what ends the owner.
struct Aside::Queue {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<std::function<void()>> jobs;

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (changed.wait(lock, stop, [this] { return !jobs.empty(); })) {
      std::function<void()> job = std::move(jobs.front());
      jobs.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
    }
  }
};

Aside::Aside() : m_queue(std::make_shared<Queue>()) {}

Aside::~Aside() {
  m_thread.request_stop();
  if (m_thread.get_id() == std::this_thread::get_id()) {
    m_thread.detach();
  }
}

util::Result<> Aside::post(std::function<void()> job) {
  const std::lock_guard lock(m_mutex);
  if (!m_thread.joinable()) {
    KUBIST_TRY(m_thread, util::start_thread(
                             [queue = m_queue](const std::stop_token& stop) { queue->run(stop); }));
  }
  {
    const std::lock_guard queue(m_queue->mutex);
    m_queue->jobs.push_back(std::move(job));
  }
  m_queue->changed.notify_one();
  return {};
}

}  // namespace kubist::kube
