#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <kubist/engine/executor.hpp>
#include <kubist/engine/plan.hpp>

namespace kubist::engine {

/// The word of a condition's status.
enum class Truth { yes, no, unknown };
std::string_view to_string(Truth truth);  ///< "True", "False", "Unknown"

/// What a run learned about a node, for its status.
struct StatusInput {
  enum class Phase {
    ready,        ///< Ready True
    progressing,  ///< Ready False, Reconciling True
    retrying,     ///< the same, after a failure: counts failures and sets nextRunAt
    stalled,      ///< Ready False, Stalled True
    waiting,      ///< Ready Unknown: its parent or a dependency is not Ready
    removing,     ///< Ready False, Reconciling True
  };
  Phase phase = Phase::ready;
  std::string reason;
  std::string message;
  std::vector<resources::Condition> conditions;  ///< the kind's own
  std::vector<std::string> gone_conditions;      ///< types that leave the status
  Json fields = Json::object();                  ///< the kind's own; null removes one
  std::optional<Json> policies;                  ///< status.policies; nothing: stays
  std::optional<Json> effective;                 ///< status.effective; empty object removes it
  std::optional<HandledRequest> handled_request;
  /// TreeReady; nothing: not known yet (stays, or Unknown when there was none).
  std::optional<Truth> tree_ready;
  std::vector<Write> writes;  ///< made for it: a new lastRun even if all else is equal
  std::int64_t generation = 0;
  std::string run_id;
  std::string cause;  ///< why the run looked at it
  std::string error;  ///< util::to_string() of its kind; empty: there was none
  std::chrono::system_clock::time_point started_at;
  std::chrono::system_clock::time_point now;
  double random_unit = 0.5;  ///< in [0, 1): the jitter of nextRunAt
};

/// The status that the node should have, from the one that it has. Pure. lastTransitionTime moves
/// only where a condition's status changes, and lastRun only when anything else did (or `writes`),
/// so a run that learns nothing gives back `present` and nothing is written.
Json compute_status(const Json& present, const StatusInput& input);

/// The status of a node that is being worked on and waits: not Ready, with what it waits for. What
/// else it says stays, also how often it failed: the end of the work says that.
Json with_progress(const Json& present, const std::string& message, std::int64_t generation,
                   std::chrono::system_clock::time_point now);

/// What with_progress() made of `former`, taken back.
Json without_progress(Json status, const Json& former);

/// Only condition TreeReady, for a node whose subtree ended after it, or above the selection. All
/// else stays, lastRun too.
Json with_tree_ready(const Json& present, Truth tree_ready, const std::string& message,
                     std::int64_t generation, std::chrono::system_clock::time_point now);

/// With that answer in handledRequest, unless it is there already: then its time stands, too.
Json with_answer(Json status, const std::optional<HandledRequest>& answer,
                 std::chrono::system_clock::time_point now);

/// What TreeReady is, from a node's own Ready and its children's TreeReady.
struct TreeSummary {
  Truth truth = Truth::yes;
  std::string message;  ///< names at most three children that are not ready
};
struct ChildReady {
  std::string name;  ///< "Cluster/eu"
  Truth tree_ready = Truth::unknown;
};
TreeSummary summarize_tree(Truth own, const std::vector<ChildReady>& children);

/// The status of a condition in a status object; unknown when it is absent.
Truth condition_truth(const Json& status, std::string_view type);

/// The delay before the next try after that many failures in a row: 1 s doubling to 5 min, with
/// jitter over its upper half, so that it never comes at once. `unit` in [0, 1).
std::chrono::milliseconds retry_delay(int failures, double unit);

}  // namespace kubist::engine
