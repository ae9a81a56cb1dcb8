#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/engine/decision.hpp>
#include <kubist/engine/graph.hpp>
#include <kubist/util/result.hpp>

namespace kubist::kube {
struct ApiCall;
}

namespace kubist::engine {

/// One run of the loop, as written to status.lastRun and policy inputs.
struct RunInfo {
  std::string id;  ///< unique
  std::chrono::system_clock::time_point started_at;
  bool dry = false;  ///< statuses are computed, none is written; executors know the sort of dry run
  /// Why it looks at the subtrees of these, for people; what is below none of them: at all.
  std::map<Key, std::string> causes = {};
  std::string cause = "asked for";
};

/// How an alignment ended; maps onto conditions (status.hpp) and onto exit codes (report.hpp).
enum class Outcome {
  ready,        ///< aligned and ready
  progressing,  ///< aligned as far as possible now; not ready yet, nothing is wrong
  failed,       ///< did not work now; trying again may (unreachable, expired, 429, 5xx)
  stalled,      ///< will not work until somebody changes something (input, rights)
};
std::string_view to_string(Outcome outcome);

/// One mutating request that was sent (or, in a dry run, would be).
struct Write {
  std::string verb;     ///< create, apply, patch, delete, ...
  std::string object;   ///< "v1 Namespace/shop" or the like
  std::string cluster;  ///< empty: home
  std::string detail;   ///< e.g. the fields that change; never a secret value; may be empty
  /// The request (kube/api_call.hpp), in a client's dry run that of a run; its body may hold secret
  /// values. The engine only carries it. Null where the run keeps none, or it is not known.
  std::shared_ptr<const kube::ApiCall> call = nullptr;
};
/// "apply v1 Namespace/shop on eu: labels change".
std::string to_string(const Write& write);

/// The answer to annotation kubist.io/request ("VERB@ID"), for status.handledRequest.
struct HandledRequest {
  std::string request;  ///< the annotation's value
  std::string outcome;  ///< "Done" or "Refused"
  std::string message;
  bool of_tree = false;  ///< it asked for all that is below, too: answered once that has ended
};

/// What an executor reports about one node.
struct Alignment {
  Outcome outcome = Outcome::ready;
  std::string reason = "Aligned";    ///< CamelCase, goes into the conditions
  std::string message;               ///< for people; stable while nothing changes (zero writes)
  std::optional<util::Error> error;  ///< behind failed and stalled, where one error is
  /// Conditions of the kind's own (not Ready, TreeReady, Reconciling, Stalled: the engine's).
  std::vector<resources::Condition> conditions;
  /// Types of former ones that are given no more: they leave the status.
  std::vector<std::string> gone_conditions = {};
  /// The kind's own status fields, whole values (inventory, address, targets, ...); null removes
  /// one; fields not named stay. Must not hold times that change on every run (zero writes).
  Json status = Json::object();
  std::vector<Write> writes;
  bool status_written = false;  ///< by another kubist, which aligned it
  /// Look again after this long. Within the run while RunOptions::settle lasts, and a trigger for
  /// --watch. Never written anywhere.
  std::optional<std::chrono::milliseconds> requeue_after;
  /// It went back to what was before, by a verdict or because somebody asked, and so differs from
  /// its spec: not an error, but another exit code.
  bool rolled_back = false;
  /// Another look within the run would see nothing new: it needs a run of its own.
  bool needs_new_run = false;
  /// May children start? Default: when the outcome is ready.
  std::optional<bool> children;
  std::optional<HandledRequest> handled_request;
};

/// The alignment that an error means. Unreachable, expired (401), 429, 5xx, timeouts and conflicts
/// are `failed`; wrong input, forbidden, not found, denied are `stalled`. The reason is the error's
/// own `reason`, else one per kind; the error stays in it.
Alignment alignment_of(const util::Error& error);

/// How taking a node away went.
enum class RemovalState {
  done,     ///< nothing of it is left; its finalizer is dropped
  running,  ///< under way; ask again after `requeue_after`
  failed,   ///< did not work
};

struct Removal {
  RemovalState state = RemovalState::done;
  std::string reason;
  std::string message;
  std::optional<util::Error> error;  ///< behind failed, where one error is
  std::vector<Write> writes;
  std::vector<std::string> left_behind;  ///< what --abandon lets go, or what is not ours to delete
  std::optional<std::chrono::milliseconds> requeue_after;
};

/// What a call gets besides its node. References are valid during the call only.
struct Context {
  const Graph& graph;
  const RunInfo& run;
  /// The spec to align to: the node's own after its policies.
  const Json& spec;
  /// `executor.parameters` of the node.
  const Json& parameters;
  /// Stop waiting when it fires; a write in flight is finished. What fails after that is in
  /// no status: it may have failed by the stop.
  std::stop_token stop;
  std::chrono::system_clock::time_point now;
  /// Says what is being waited for; shown live. Any thread, any number of times.
  std::function<void(std::string)> progress;
  /// What its policies decided; nothing: none did. With a policy_error at least a hold.
  std::optional<Decision> decision = std::nullopt;
  /// Why its policies did not come to an end; null: they did. Only for executors that
  /// aligns_without_policies(); `spec` is then what they made of it last.
  const util::Error* policy_error = nullptr;
};

/// What a node waits for while it is aligned. It takes no place of those that do not wait.
enum class Waits {
  no,          ///< not for long
  for_others,  ///< what others do with it, such as the end of a pod
  for_server,  ///< the answer of a server that has said nothing so far
};

/// Keeps one kind of node aligned with the world. Calls come from several threads at once, never
/// twice at once for one node. A dry run is another set of executors under the same loop.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Brings the world in line with the node. An error is the same as alignment_of(error).
  virtual util::Result<Alignment> align(const Node& node, const Context& context) = 0;
  /// Undoes it and lets the object go. Called again until done. An error is `failed`.
  virtual util::Result<Removal> remove(const Node& node, const Context& context) = 0;
  /// Shall a node whose policies fail be aligned all the same? Where standing still does harm.
  virtual bool aligns_without_policies() const { return false; }
  /// The same for a node throughout a run; called by one thread.
  virtual Waits waits(const Node& /*node*/) const { return Waits::no; }
  /// Do the node's policies run here, before it is aligned?
  virtual bool runs_policies(const Node& /*node*/) const { return true; }
  /// What runs after this node in a run, however this node ends, besides its children, later kinds
  /// beside it, and what depends on it. Called before the run, by one thread.
  virtual std::vector<Key> followers(const Node& /*node*/) const { return {}; }
};

/// The executors by name. `executor: {name}` picks one, else the kind's default.
class ExecutorSet {
 public:
  /// `kinds`: those that may name it; `default_for`: those that use it without naming it.
  /// Names and aliases match case-insensitively.
  void add(const std::string& name, std::shared_ptr<Executor> executor,
           std::vector<std::string> kinds, const std::vector<std::string>& default_for = {},
           const std::vector<std::string>& aliases = {});
  /// Puts something in the place of each.
  using Around = std::function<std::shared_ptr<Executor>(std::shared_ptr<Executor> inner)>;
  void wrap(const Around& around);
  /// Fails with invalid (reason UnknownExecutor) and a suggestion.
  util::Result<Executor*> find(const Node& node) const;
  /// The same by name alone, for `validate`; "" means the kind's default.
  util::Result<Executor*> find(const std::string& kind, const std::string& name) const;
  /// Canonical names that a kind may use, sorted.
  std::vector<std::string> names(const std::string& kind) const;

 private:
  struct Entry {
    std::string name;
    std::shared_ptr<Executor> executor;
    std::vector<std::string> kinds;
  };
  std::map<std::string, Entry> m_by_name;  ///< lower case
  std::map<std::string, std::string> m_defaults;
};

/// A node's status after a change, and was anything sent for it?
struct StatusWritten {
  Json status;
  bool sent = false;
};

/// Where statuses go: the API server, or nowhere in a dry run. Calls come from several threads.
class StatusStore {
 public:
  /// What becomes of a status. Called once, and never twice at once for one object. May ask for
  /// what was written.
  using Change = std::function<Json(const Json& status)>;

  virtual ~StatusStore() = default;
  /// Makes the node's status what `change` makes of the newest one that is known: the graph's, or
  /// what this or another run has written since (field manager kubist-status). Sends nothing where
  /// it stays the same. A vanished object is success.
  virtual util::Result<StatusWritten> change(const Node& node, const Change& change) = 0;
  /// What was written since the graph was read, by whatever run; null: nothing.
  virtual std::shared_ptr<const Json> written(const Node& /*node*/) const { return nullptr; }
  /// What a status has for a text of a run: nothing of who runs it, or the next one's run would
  /// change it.
  virtual std::string shown(const std::string& text) const { return text; }
};

}  // namespace kubist::engine
