#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include <kubist/util/result.hpp>

namespace kubist::kube {

/// One thread for what may block, from the first job on. Any thread.
class Aside {
 public:
  Aside();
  /// Runs what was posted to its end and waits for it, unless this is the thread itself.
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  /// Runs jobs one after the other; they must not throw. Unavailable: no thread can be made, and
  /// the job does not run.
  util::Result<> post(std::function<void()> job);

 private:
  struct Queue;
  std::shared_ptr<Queue> m_queue;
  std::mutex m_mutex;  ///< guards m_thread
  std::jthread m_thread;
};

}  // namespace kubist::kube
