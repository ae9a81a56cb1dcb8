#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include <kubist/util/result.hpp>

namespace kubist::kube {

/// The threads on which the watches of one server do what there is to do. There are as many as work
/// at the same time, as a listing may wait for long, and two while all watches wait. Any thread.
class WatchThreads {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  /// What is run now and then, by one thread at a time.
  class Job {
   public:
    virtual ~Job() = default;
    virtual void run() = 0;  ///< must not throw

   private:
    friend WatchThreads;
    std::optional<std::multimap<Time, Job*>::iterator> m_place;  ///< where it waits for its turn
    bool m_runs = false;
    std::optional<Time> m_again;  ///< asked for while it ran
    bool m_removed = false;
  };

  WatchThreads() = default;
  /// REQUIRES: no job is left.
  ~WatchThreads();
  WatchThreads(const WatchThreads&) = delete;
  WatchThreads& operator=(const WatchThreads&) = delete;

  /// Unavailable: not one thread can be made, and nothing would run.
  util::Result<> start();
  /// The job runs at that time, or sooner where that was asked for. REQUIRES: start() succeeded.
  void wake(Job& job, Time when = Time::min());
  /// Waits for the end of its run; it has no other, whoever wakes it. Not from a job.
  void remove(Job& job);

 private:
  void work();
  util::Result<> add_thread();
  void keep_one_idle();
  void queue(Job& job, Time when);
  bool join_ended(std::unique_lock<std::mutex>& lock);

  std::mutex m_mutex;  ///< guards what follows
  std::condition_variable m_changed;
  std::condition_variable m_done;  ///< a job has run
  std::multimap<Time, Job*> m_queue;
  std::list<std::jthread> m_threads;
  std::list<std::jthread> m_ended;
  std::size_t m_idle = 0;  ///< or about to be
  bool m_stop = false;
};

}  // namespace kubist::kube
