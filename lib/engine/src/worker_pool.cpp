#include "worker_pool.hpp"

#include <algorithm>
#include <utility>

#include <kubist/util/memory.hpp>
#include <kubist/util/threads.hpp>

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
    if (m_jobs.size() + 1 > m_idle && m_threads.size() < m_max) {
      if (auto thread = util::start_thread([this](const std::stop_token& stop) { work(stop); })) {
        m_threads.push_back(*std::move(thread));
      }
    }
    if (!m_threads.empty()) {
      m_jobs.push_back(std::exchange(job, nullptr));
    }
  }
  if (job) {
    job();
  } else {
    m_wake.notify_one();
  }
}

void WorkerPool::work(const std::stop_token& stop) {
  const util::MemoryScope memory(util::Stay::passing);
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
