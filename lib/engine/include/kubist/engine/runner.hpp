#pragma once
#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/engine/executor.hpp>
#include <kubist/engine/pipeline.hpp>
#include <kubist/engine/plan.hpp>
#include <kubist/engine/report.hpp>
#include <kubist/util/clock.hpp>

namespace kubist::engine {

/// Follows a run live. Calls never overlap and come from the thread that called run(). All defaults
/// do nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void planned(const Graph& /*graph*/, const std::vector<NodeId>& /*nodes*/) {}
  virtual void started(const Node& /*node*/, Mode /*mode*/) {}
  /// What a running node waits for.
  virtual void progress(const Node& /*node*/, const std::string& /*message*/) {}
  /// It reached a final state, or was left blocked or skipped. Its subtree may still be running.
  virtual void finished(const Node& /*node*/, const NodeReport& /*report*/) {}
  virtual void summary(const Report& /*report*/) {}
};

struct RunOptions {
  /// Nodes worked on at once, at least 1, and as many of their policies. A project that has none
  /// of these gets one all the same, up to as many again. Of each project as many may wait for
  /// others (Executor::waits()), of all four times as many, and as many projects again that have
  /// none; for servers four times as many each.
  std::size_t parallelism = 16;
  Mode mode = Mode::align;  ///< remove: treat the selection as being deleted
  /// How long a node that is progressing is looked at again (as often as its requeue_after says)
  /// before the run goes on without it. 0: never, as --watch does (it has the schedule).
  std::chrono::milliseconds settle{0};
  /// Subtrees of the selection that are left out: another run is at work on them.
  std::vector<NodeId> left_out = {};
  /// How long a node waits for the same before its status says so, for others to see.
  std::chrono::milliseconds tell_after{2000};
  bool keep_trace = false;  ///< keep policies' inputs and outputs in the report
};

/// What a run works with; all outlive it.
struct RunParts {
  const ExecutorSet& executors;
  StatusStore& statuses;
  const PolicyCatalog& policies;
  PolicyWorld& world;
  Observer& observer;
  const util::Clock& clock = util::system_clock();
};

/// Walks the selected subtrees once: policies, executor, children, as Plan orders them, projects by
/// turns, up to `parallelism` nodes at once, and writes the statuses that change. A node that fails
/// stops its own subtree only. When `stop` fires nothing new starts, what runs is finished, and the
/// report says what was not done. Blocks; threads live no longer than the call.
///
/// Status writes: one when a node ends (Ready, Reconciling, Stalled, its own fields), one before
/// that each time it waits for something else for a while (`tell_after`), one more for
/// a node with children when its subtree ends and TreeReady changed, also for nodes above the
/// selection. Suspended nodes get none. An unchanged tree: no write at all.
Report run(const Graph& graph, const std::vector<NodeId>& selected, const RunInfo& info,
           const RunOptions& options, const RunParts& parts, const std::stop_token& stop);

}  // namespace kubist::engine
