#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <kubist/engine/call.hpp>
#include <kubist/engine/decision.hpp>
#include <kubist/engine/policy.hpp>

namespace kubist::engine {

/// The KRM function format (config.kubernetes.io/v1 ResourceList) as policies speak it.
inline constexpr std::string_view k_resource_list_version = "config.kubernetes.io/v1";
/// What a policy may keep between runs, as compact JSON.
inline constexpr std::size_t k_max_policy_state = std::size_t{16} * 1024;

/// What a policy gets besides the resource.
struct PolicyInput {
  Json resource;               ///< as the previous policy left it
  std::vector<Json> observed;  ///< what was observed for it: items[1] on
  Json parameters = Json::object();
  Json settings = Json::object();
  Json state;  ///< what this policy returned last time; null: none
  Json metrics = Json::object();
  Json answers;                      ///< to its calls of this run, by name; null: none was made
  std::optional<Decision> decision;  ///< what the policies before it came to
  Json target;                       ///< of an executor: where its objects go; null: no executor
  std::chrono::system_clock::time_point now;
  std::string run_id;
  int attempt = 1;
  std::string seed;
};

/// One entry of `results`.
struct PolicyMessage {
  std::string severity = "info";  ///< error, warning, info
  std::string message;
  std::string field;  ///< path in the resource; may be empty
};

/// What a policy said.
struct PolicyOutput {
  Json spec;  ///< the resource's spec after it
  std::vector<PolicyMessage> results;
  std::optional<Json> state;  ///< nothing: unchanged
  std::optional<std::chrono::milliseconds> requeue_after;
  std::string outcome;               ///< its own word ("hold", "advance", ...); empty when none
  bool hold = false;                 ///< outcome "hold": leave the world as it is this time
  std::optional<Decision> decision;  ///< nothing: it decides nothing
  std::vector<PolicyCall> calls;     ///< what it wants done before it decides
};

/// What an executor's function said.
struct ExecutorOutput {
  std::vector<Json> objects;  ///< that shall exist; unchecked but for being objects
  std::vector<PolicyMessage> results;
  std::optional<Json> state;  ///< nothing: unchanged
  std::optional<std::chrono::milliseconds> requeue_after;
  bool ready = true;                             ///< false: not ready yet, whatever its objects are
  std::string reason, message;                   ///< why; may be empty
  std::optional<bool> children;                  ///< shall they run? Nothing: when it is ready
  std::vector<resources::Condition> conditions;  ///< of its own
};

/// The ResourceList that goes in. `now` and `run` only where the definition asks for them.
Json make_policy_input(const PolicyDefinition& definition, PolicyInput input);

/// Reads what came out and holds it to the rules: only items[0].spec may differ, every result has a
/// severity, no result is an error, state is at most 16 KiB. Fails with invalid (reason
/// PolicyFailed) saying which rule was broken, or with denied (reason PolicyDenied) carrying the
/// policy's own messages of severity error.
util::Result<PolicyOutput> read_policy_output(const Json& input, const Json& output);

/// Reads what an executor's function gave back: all items but its resource, which existing KRM
/// functions hand through, and PolicyRuns. Fails as read_policy_output does, reasons ExecutorFailed
/// and ExecutorDenied.
util::Result<ExecutorOutput> read_executor_output(const Json& input, const Json& output);

/// The object as policies see it: without managedFields and resourceVersion, and without the
/// engine's own status fields.
Json resource_for_policies(Json object);

}  // namespace kubist::engine
