#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace kubist::engine {

/// Threads that run jobs in order of submission; started as needed, up to a bound. The destructor
/// waits for what runs and drops what has not started. Where not one thread can be started,
/// submit() runs the job itself. Jobs must not throw.
class WorkerPool {
 public:
  explicit WorkerPool(std::size_t max_threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void submit(std::function<void()> job);

 private:
  void work(const std::stop_token& stop);
  std::size_t m_max;
  std::mutex m_mutex;
  std::condition_variable_any m_wake;
  std::deque<std::function<void()>> m_jobs;
  std::size_t m_idle = 0;
  std::vector<std::jthread> m_threads;
};

}  // namespace kubist::engine
