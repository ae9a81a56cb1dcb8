#include "worker_pool.hpp"

#include <algorithm>

namespace kubist::engine {

WorkerPool::WorkerPool(std::size_t max_threads) : m_max(std::max<std::size_t>(max_threads, 1)) {}

WorkerPool::~WorkerPool() {
  for (auto& thread : m_threads) {
    thread.request_stop();
  }
}

void WorkerPool::submit(std::function<void()> job) {
  {
    std::lock_guard lock(m_mutex);
    m_jobs.push_back(std::move(job));
    if (m_jobs.size() > m_idle && m_threads.size() < m_max) {
      m_threads.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
  }
  m_wake.notify_one();
}

void WorkerPool::work(const std::stop_token& stop) {
  std::unique_lock lock(m_mutex);
  while (true) {
    ++m_idle;
    bool found = m_wake.wait(lock, stop, [this] { return !m_jobs.empty(); });
    --m_idle;
    if (stop.stop_requested() || !found) {
      return;
    }
    auto job = std::move(m_jobs.front());
    m_jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

}  // namespace kubist::engine
