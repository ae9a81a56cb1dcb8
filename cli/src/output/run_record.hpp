#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <kubist/deployers/world.hpp>
#include <kubist/engine/runner.hpp>

namespace kubist::cli {

/// What a node went through in a run.
struct NodeCourse {
  using Time = std::chrono::steady_clock::time_point;
  struct Span {
    Time from, until;
    std::string message = {};  ///< of a wait: for what
  };
  struct Changed {
    std::string object;   ///< as engine::Write has it
    std::string cluster;  ///< the same
    std::string diff;     ///< without values of Secrets
  };
  std::vector<Span> runs;
  std::vector<Span> waits;  ///< the last ones
  std::vector<Changed> changes;
};

/// Remembers of a run what its report does not have. Any thread.
class RunRecord {
 public:
  using Time = NodeCourse::Time;
  using Courses = std::map<std::string, NodeCourse>;  ///< by engine::to_string()

  void started(const engine::Node& node, Time now);
  void progress(const engine::Node& node, const std::string& message, Time now);
  void finished(const engine::Node& node, Time now);
  void changed(const engine::Node& node, const deployers::Change& change);

  /// An observer that also tells this, which outlives it.
  std::unique_ptr<engine::Observer> beside(std::unique_ptr<engine::Observer> observer);
  /// What these nodes went through since this was asked the last time.
  Courses take(const std::vector<std::string>& nodes);

 private:
  std::mutex m_mutex;
  Courses m_nodes;
  std::size_t m_diffs = 0;  ///< bytes of them that are kept
};

}  // namespace kubist::cli
