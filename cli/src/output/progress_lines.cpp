#include "progress_lines.hpp"

#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::cat;

std::string failure_line(const engine::Node& node, const engine::NodeReport& report) {
  return cat(engine::to_string(node), ": ", report.reason, ": ", report.message);
}

void ProgressLines::progress(const engine::Node& node, const std::string& message) {
  const std::string name = engine::to_string(node);
  const auto now = std::chrono::steady_clock::now();
  Said& said = m_said[name];
  if (said.message == message && now - said.at < m_heartbeat) {
    return;
  }
  said = {message, now};
  m_log.line(cat(name, ": ", message));
}

void ProgressLines::finished(const engine::Node& node, const engine::NodeReport& report) {
  if (report.state == engine::NodeState::failed) {
    m_log.line(failure_line(node, report));
  }
}

}  // namespace kubist::cli
