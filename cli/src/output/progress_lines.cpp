#include "progress_lines.hpp"

#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::cat;

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
    m_log.line(cat(engine::to_string(node), ": ", report.reason, ": ", report.message));
  }
}

}  // namespace kubist::cli
