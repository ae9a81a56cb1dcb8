#pragma once
#include <chrono>
#include <map>
#include <string>

#include <kubist/engine/runner.hpp>
#include <kubist/util/log.hpp>

namespace kubist::cli {

/// "Kind/namespace/name: reason: message".
std::string failure_line(const engine::Node& node, const engine::NodeReport& report);

/// Lines for people while a run goes on: what a node waits for, whenever that changes and at most
/// once in `heartbeat` while it does not; what failed, and why.
class ProgressLines : public engine::Observer {
 public:
  explicit ProgressLines(const util::Log& log,
                         std::chrono::nanoseconds heartbeat = std::chrono::seconds(30))
      : m_log(log), m_heartbeat(heartbeat) {}
  void progress(const engine::Node& node, const std::string& message) override;
  void finished(const engine::Node& node, const engine::NodeReport& report) override;

 private:
  struct Said {
    std::string message;
    std::chrono::steady_clock::time_point at;
  };
  const util::Log& m_log;
  std::chrono::nanoseconds m_heartbeat;
  std::map<std::string, Said> m_said;  ///< by node, over all plans of a run
};

}  // namespace kubist::cli
