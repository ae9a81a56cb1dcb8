#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "steps.hpp"

namespace kubist::engine {

using Steady = std::chrono::steady_clock::time_point;

/// What its policies need has been read, or what they called for was answered.
struct Gathered {
  NodeId id;
  std::optional<CallAnswers> answers;
};
struct PoliciesRan {
  std::vector<NodeId> nodes;
  std::vector<PolicyVerdict> verdicts;
};
struct Progressed {
  NodeId id;
  std::string message;
};
/// What a node waits for was written into its status.
struct Told {
  NodeId id;
};
/// A status was written for a node that did not run, or above the selection.
struct Recorded {
  StepResult result;
};
using Event = std::variant<StepResult, Gathered, PoliciesRan, Progressed, Told, Recorded>;

/// Results of workers on their way to the loop.
class EventQueue {
 public:
  void push(Event event) {
    {
      std::lock_guard lock(m_mutex);
      m_events.push_back(std::move(event));
    }
    m_wake.notify_one();
  }
  /// The next event; nothing when `until` passed or stop was requested first.
  std::optional<Event> pop(const std::optional<Steady>& until, const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    auto some = [this] { return !m_events.empty(); };
    if (until) {
      m_wake.wait_until(lock, stop, *until, some);
    } else {
      m_wake.wait(lock, stop, some);
    }
    if (m_events.empty()) {
      return std::nullopt;
    }
    Event event = std::move(m_events.front());
    m_events.pop_front();
    return event;
  }

 private:
  std::mutex m_mutex;
  std::condition_variable_any m_wake;
  std::deque<Event> m_events;
};

}  // namespace kubist::engine
