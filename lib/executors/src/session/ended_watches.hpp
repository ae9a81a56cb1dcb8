#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace kubist::executors {

/// Ends watches on a thread of its own: the end of one waits for what it is doing, which its server
/// may draw out. When it goes, all have ended: so it goes first. Any thread.
class EndedWatches {
 public:
  using Watch = std::shared_ptr<void>;
  /// Nobody else has it any more, or who has ends it.
  void end(Watch watch);

 private:
  void work(const std::stop_token& stop);

  std::mutex m_mutex;  ///< guards what follows, but the thread
  std::condition_variable_any m_changed;
  std::vector<Watch> m_watches;
  std::jthread m_thread;  ///< begins with the first watch
};

}  // namespace kubist::executors
