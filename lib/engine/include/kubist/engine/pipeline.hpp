#pragma once
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/engine/executor.hpp>
#include <kubist/engine/policy.hpp>
#include <kubist/engine/resource_list.hpp>

namespace kubist::engine {

/// What one policy of one node got and gave: for `policy trace` and the report.
struct PolicyTrace {
  std::string name;  ///< as the definition spells it
  std::string origin;
  std::string imposed_by;  ///< a Root or Project; empty: the node's own
  Json input;              ///< kept only when the pipeline was asked to trace
  Json output;
  std::string outcome;
  std::string message;  ///< its results in one line, or its error
  std::vector<PolicyMessage> results;
  std::optional<util::Error> error;
  std::string stderr_tail;
  std::chrono::nanoseconds took{0};  ///< its share of the batch
  bool cached = false;
};

/// What the policy at that place of the node's list called for.
struct RequestedCall {
  std::size_t policy = 0;
  PolicyCall call;
};

/// What the policies of one node came to.
struct PolicyVerdict {
  /// The effective spec, which is null after an exception. Nodes whose policies left it as it is
  /// share the object's, and those that come to the same share that.
  std::shared_ptr<const Json> spec;
  bool changed = false;  ///< does it differ from the object's?
  Json status_policies;  ///< status.policies: [{name, outcome, message, state}]
  std::vector<PolicyTrace> trace;
  std::optional<std::chrono::milliseconds> requeue_after;  ///< the nearest that a policy named
  bool hold = false;  ///< a policy said to leave the world as it is this time
  std::string hold_message;
  std::optional<Decision> decision;  ///< the most cautious of all
  std::vector<RequestedCall> calls;  ///< that are to be made before the verdict counts
  std::optional<util::Error> error;  ///< the node fails; policies after it did not run
};

/// A policy of a node that asks for metrics.
struct PolicyUse {
  std::shared_ptr<const PolicyDefinition> definition;
  Json parameters;  ///< resolved
};

/// The parts of the world that policies may see, gathered by the engine's host. Any thread.
class PolicyWorld {
 public:
  virtual ~PolicyWorld() = default;
  /// Must something be read over the network for the policies of this node?
  virtual bool gathers(const Node& node) const;
  /// Reads it, so that metrics() and observed() need not: the run calls it for several nodes side
  /// by side, and the policies of one do not wait for what another one's take. `uses`: the policies
  /// of the node that ask for metrics. What fails is told by those two.
  virtual void gather(const Node& node, const std::vector<PolicyUse>& uses);
  /// Answers to the definition's metric queries (metrics_of), by name: {value}, or {reason,
  /// message} where there is none. Default: none, an error if it has any.
  virtual util::Result<Json> metrics(const Node& node, const PolicyDefinition& definition,
                                     const Json& parameters);
  /// Objects observed for the node (items[1] on). Default: none.
  virtual util::Result<std::vector<Json>> observed(const Node& node);
  /// The Approvals that name the node: asked for only where a definition wants them. Default: none.
  virtual util::Result<std::vector<Json>> approvals(const Node& node);
  /// Makes a call of a policy of the node, and waits for its answer: once a run for each. The
  /// policies of other nodes do not wait for it. Default: {reason: NotDue}, it calls nobody.
  virtual util::Result<Json> call(const Node& node, const RequestedCall& call);
};

/// The node's policies that ask for metrics; those that cannot be found, or whose parameters do not
/// resolve, are left out: the pipeline tells.
std::vector<PolicyUse> metric_uses(const Graph& graph, NodeId node, const PolicyCatalog& catalog);

/// May one of the node's policies call for a job?
bool may_call_jobs(const Graph& graph, NodeId node, const PolicyCatalog& catalog);

struct PipelineOptions {
  bool keep_trace = false;                  ///< keep inputs and outputs in PolicyTrace
  std::map<NodeId, CallAnswers> answers{};  ///< to the calls of the nodes' policies
};

/// Runs the policies of several nodes, each node's in order, each on the previous one's output.
/// Nodes go through together, so that all runs of one definition are one batch. A policy that fails
/// ends its own node's pipeline only. One verdict per node, in order. Nodes without policies cost
/// nothing.
std::vector<PolicyVerdict> run_policies(const Graph& graph, std::span<const NodeId> nodes,
                                        const PolicyCatalog& catalog, PolicyWorld& world,
                                        const RunInfo& run,
                                        std::chrono::system_clock::time_point now,
                                        const std::stop_token& stop,
                                        const PipelineOptions& options = {});

/// The parts of `effective` that differ from `spec`, as status.effective holds them: whole values
/// of changed or added fields, nested maps reduced to what differs, removed fields null.
Json effective_difference(const Json& spec, const Json& effective);

}  // namespace kubist::engine
