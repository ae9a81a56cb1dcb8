#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <kubist/engine/pipeline.hpp>
#include <kubist/engine/plan.hpp>

namespace kubist::engine {

/// What a run did with one node.
struct NodeReport {
  NodeId id = k_no_node;
  Key key;
  std::string target;
  Mode mode = Mode::align;
  NodeState state = NodeState::waiting;
  std::optional<Outcome> outcome;  ///< of the alignment, where one ran
  bool ready = false;              ///< own Ready after the run (remove: it is gone)
  std::string reason;
  std::string message;
  std::optional<util::Error> error;  ///< behind failed and stalled
  bool rolled_back = false;          ///< Alignment::rolled_back
  std::vector<PolicyTrace> policies;
  std::vector<Write> writes;
  bool status_written = false;
  std::vector<std::string> left_behind;
  std::chrono::system_clock::time_point started_at;
  std::chrono::nanoseconds took{0};  ///< policies, alignment and status writes
  std::optional<std::chrono::milliseconds> requeue_after;
  std::vector<NodeId> children;  ///< selected ones, in order
};

/// What one write of a node's status is of.
struct StatusPart {
  Key key;
  std::string target;
  bool tree = false;  ///< only its TreeReady
  auto operator<=>(const StatusPart&) const = default;
};

/// How many nodes ended how.
struct RunSummary {
  std::size_t nodes = 0;
  std::size_t ready = 0;      ///< done and Ready
  std::size_t not_ready = 0;  ///< done, but progressing
  std::size_t removed = 0;
  std::size_t failed = 0;  ///< failed or stalled
  std::size_t blocked = 0;
  std::size_t suspended = 0;
  std::size_t not_started = 0;  ///< left out because the run was stopped
  std::size_t writes = 0;       ///< mutating requests, status writes included
};

/// Everything that a run came to: the one source of all printed forms. `nodes` has parents before
/// children.
struct Report {
  RunInfo run;
  std::vector<NodeReport> nodes;
  std::vector<NodeId> roots;  ///< selected nodes without a selected parent
  RunSummary summary;
  bool stopped = false;  ///< by the stop token
  std::chrono::nanoseconds took{0};
  /// How the last write of each status ended; an error: it failed.
  std::map<StatusPart, std::optional<util::Error>> statuses;
  std::unordered_map<NodeId, std::size_t> index;  ///< place in `nodes`

  /// The node's part, or nullptr when it was not selected.
  const NodeReport* find(NodeId id) const;
  /// Those of the statuses that are not as they should be: no later write made good that one
  /// failed.
  std::vector<util::Error> status_errors() const;
};

/// {"run": ..., "summary": ..., "nodes": [{..., "children": [...]}]}: durations in seconds, times
/// in RFC 3339. Holds no secret.
Json to_json(const Report& report);
/// One policy's part of it: outcome, messages, error, and input and output where they were kept.
Json to_json(const PolicyTrace& trace);

/// The sums over the nodes.
RunSummary summarize(const std::vector<NodeReport>& nodes);

}  // namespace kubist::engine
