#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include <kubist/engine/graph.hpp>
#include <kubist/util/result.hpp>

namespace kubist::executors {

/// Reads the whole tree again, on a thread of its own, where runs read only parts of it. What that
/// costs grows with the tree, so it takes a tenth of the time at most. Any thread.
class TreeKeeper {
 public:
  using Tree = std::shared_ptr<const engine::Graph>;
  using Read = std::function<util::Result<Tree>(const std::stop_token&)>;
  /// `tell` is called on that thread. What cannot be read, or told, is tried again.
  TreeKeeper(Read read, std::function<void(Tree)> tell);
  ~TreeKeeper();
  TreeKeeper(const TreeKeeper&) = delete;
  TreeKeeper& operator=(const TreeKeeper&) = delete;
  /// What was read last may be old.
  void ask();

 private:
  void work(const std::stop_token& stop);

  const Read m_read;
  const std::function<void(Tree)> m_tell;
  std::mutex m_mutex;
  std::condition_variable_any m_asked_for;
  bool m_asked = false;   ///< guarded by the mutex
  std::jthread m_thread;  ///< last: it uses all of the above
};

}  // namespace kubist::executors
