#include "session/release_runs.hpp"

#include <algorithm>

namespace kubist::executors {

std::optional<ReleasesDue> releases_due(const Run& run) {
  ReleasesDue due;
  for (const engine::NodeReport& node : run.report.nodes) {
    const bool under_way =
        (node.key.kind == "CanaryRelease" || node.key.kind == "Experiment") &&
        (node.outcome == engine::Outcome::progressing || node.outcome == engine::Outcome::failed) &&
        node.requeue_after;
    if (!under_way) {
      continue;
    }
    due.after =
        due.releases.empty() ? *node.requeue_after : std::min(due.after, *node.requeue_after);
    due.releases.push_back(node.key);
  }
  return due.releases.empty() ? std::nullopt : std::optional(std::move(due));
}

void take_over(engine::Report& report, const engine::Report& later) {
  for (const engine::NodeReport& news : later.nodes) {
    for (engine::NodeReport& node : report.nodes) {
      if (node.key != news.key || node.target != news.target) {
        continue;
      }
      const auto writes = std::move(node.writes);
      const engine::NodeId id = node.id;
      const auto children = std::move(node.children);
      const auto took = node.took + news.took;
      const auto started = node.started_at;
      node = news;
      node.id = id;
      node.children = children;
      node.took = took;
      node.started_at = started;
      node.writes.insert(node.writes.begin(), writes.begin(), writes.end());
    }
  }
  report.stopped = report.stopped || later.stopped;
  report.took += later.took;
  for (const auto& [part, error] : later.statuses) {
    report.statuses[part] = error;
  }
  report.summary = engine::summarize(report.nodes);
}

}  // namespace kubist::executors
