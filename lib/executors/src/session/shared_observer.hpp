#pragma once
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <kubist/engine/runner.hpp>

namespace kubist::executors {

/// Hands one run's observer to many: one call at a time.
class SharedObserver final : public engine::Observer {
 public:
  using Ended = std::function<void(const engine::Key&, const engine::NodeReport&)>;
  SharedObserver(engine::Observer& to, std::mutex& mutex, Ended ended)
      : m_to(to), m_mutex(mutex), m_ended(std::move(ended)) {}
  void planned(const engine::Graph& graph, const std::vector<engine::NodeId>& nodes) override {
    const std::lock_guard lock(m_mutex);
    m_to.planned(graph, nodes);
  }
  void started(const engine::Node& node, engine::Mode mode) override {
    const std::lock_guard lock(m_mutex);
    m_to.started(node, mode);
  }
  void progress(const engine::Node& node, const std::string& message) override {
    const std::lock_guard lock(m_mutex);
    m_to.progress(node, message);
  }
  void finished(const engine::Node& node, const engine::NodeReport& report) override {
    m_ended(node.key, report);
    const std::lock_guard lock(m_mutex);
    m_to.finished(node, report);
  }

 private:
  engine::Observer& m_to;
  std::mutex& m_mutex;
  Ended m_ended;
};

}  // namespace kubist::executors
