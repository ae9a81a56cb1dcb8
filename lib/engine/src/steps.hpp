#pragma once
#include <atomic>
#include <functional>
#include <optional>

#include <kubist/engine/runner.hpp>
#include <kubist/engine/status.hpp>

namespace kubist::engine {

/// What a worker did with one node; handed back to the loop.
struct StepResult {
  NodeId id = k_no_node;
  NodeReport report;  ///< outcome, reason, message, error, writes, ...; not state and policies
  Verdict verdict;
  bool again = false;                    ///< progressing: look again after report.requeue_after
  std::optional<Json> status;            ///< the node's status now, where it is known
  std::optional<HandledRequest> answer;  ///< for when what is below has ended
  std::optional<util::Error> status_error;
  bool of_tree = false;  ///< the status is written for only its TreeReady
};

/// What steps need of their run; all outlive it.
struct StepContext {
  const Graph& graph;
  const RunInfo& info;
  const RunParts& parts;
  std::stop_token stop;
};

/// What others were told of a step. Any thread; told and over change under the status store's turn
/// of the node, or after it.
struct Telling {
  std::atomic<bool> over = false;  ///< its own status comes next
  std::atomic<bool> told = false;  ///< its status says what it waits for
};

/// A step that is at work. Any thread.
struct Progress {
  std::function<void(std::string)> tell;  ///< what it waits for
  Telling& telling;
};

/// Aligns one node after its policies (`policies` null: it has none), and writes its status.
/// `present`: as this run knows it, for where none is written. Any thread.
StepResult align_node(const StepContext& context, NodeId id, const PolicyVerdict* policies,
                      const Json& present, const Progress& progress);

/// Removes one node, and writes its status while it is not gone. Any thread.
StepResult remove_node(const StepContext& context, NodeId id, const Json& present,
                       const Progress& progress);

/// Writes into the status what the node waits for, unless its step is over. Any thread.
void tell_progress(const StepContext& context, NodeId id, const std::string& text,
                   Telling& telling);

/// What a step of that node came to that threw.
StepResult broken_step(NodeId id, const util::Error& error);

/// Writes the status of a node that never ran. Any thread.
StepResult record_node(const StepContext& context, NodeId id, const StatusInput& input,
                       const Json& present);

/// What a node's children come to at the moment. Any thread.
using TreeOf = std::function<TreeSummary()>;

/// Writes TreeReady, and the answer to what was asked of the subtree. Any thread.
StepResult record_tree(const StepContext& context, NodeId id, const TreeOf& tree_of,
                       const std::optional<HandledRequest>& answer, const Json& present);

/// The status input for a node that the plan ended before it ran.
StatusInput settled_input(const StepContext& context, const Plan& plan, NodeId id);

}  // namespace kubist::engine
