#pragma once
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/data/position.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/engine/node.hpp>
#include <kubist/engine/query.hpp>
#include <kubist/util/result.hpp>

namespace kubist::engine {

using data::Json;
class PolicyRuntime;

inline constexpr std::string_view k_built_in = "built-in";
inline constexpr std::string_view k_executor_definition = "ExecutorDefinition";

/// What a schema cannot say of parameters that it takes: the order of steps, an expression.
/// Invalid, with the position that `lookup` gives (pointers into the parameters; it may be empty).
/// Not found: this machine lacks what the answer takes, such as the time zones.
using ParameterCheck =
    std::function<util::Result<>(const Json& parameters, const data::PositionLookup& lookup)>;

/// A policy by name: built in, or from a PolicyDefinition or ClusterPolicyDefinition; or what an
/// ExecutorDefinition runs. Immutable.
struct PolicyDefinition {
  std::string name;
  std::string ns;       ///< namespace of a PolicyDefinition; empty for built-in and cluster ones
  std::string origin;   ///< k_built_in or the kind of the object
  std::string summary;  ///< one sentence, for `policy list`
  std::string doc;      ///< the rest, for `explain`; may be empty
  Json parameters = Json::object();            ///< JSON schema with defaults; empty: takes none
  std::shared_ptr<const data::Schema> schema;  ///< `parameters`, compiled
  Queries metrics;                             ///< that it asks whatever its parameters are
  /// Of a built-in one: what these parameters ask besides.
  std::function<Queries(const Json& parameters)> queries;
  ParameterCheck check;  ///< of a built-in one; may be empty
  /// Of a built-in one: with these parameters, may it call for a job (engine/call.hpp)? Empty: with
  /// none.
  std::function<bool(const Json& parameters)> calls_jobs;
  std::vector<std::string> kinds;  ///< that it may be used on; empty: all
  bool wants_now = false;  ///< spec.wants has "now": gets `now` (without it answers can be kept)
  bool wants_run = false;  ///< spec.wants has "run": gets `run {id, attempt, seed}`
  bool wants_approvals = false;  ///< spec.wants has "approvals": items has the node's Approvals
  bool wants_objects = false;    ///< of an executor: items has the objects that it keeps
  bool wants_status = false;     ///< of a container: items[0] has its status
  /// A functionConfig of its own, for existing KRM functions; null: a PolicyRun is made. A string
  /// that is exactly "${parameters.NAME}" is replaced by the whole value of that parameter.
  Json function_config;
  bool in_pod = false;  ///< its answers are kept where members of a project may write
  std::string
      source;  ///< what the runtime runs: Jsonnet text, a program's name, an image, or empty
  Json runtime_config;  ///< what spec.runtime.KEY holds; null of built-in ones
  std::shared_ptr<PolicyRuntime> runtime;
  /// Is it what an ExecutorDefinition runs?
  bool is_executor() const { return origin == k_executor_definition; }
};

/// One answer of a runtime.
struct PolicyAnswer {
  util::Result<Json> output;  ///< the ResourceList that came back, or why there is none
  std::string stderr_tail;    ///< what it printed besides, at most some KiB
  bool cached = false;        ///< kept from an earlier run over the same input
};

/// Runs policies of one sort. Calls come from several threads at once.
class PolicyRuntime {
 public:
  virtual ~PolicyRuntime() = default;
  /// Evaluates one definition over ResourceLists: one answer per input, in order. A failing input
  /// fails only its own answer.
  virtual std::vector<PolicyAnswer> evaluate(const PolicyDefinition& definition,
                                             std::span<const Json> inputs,
                                             const std::stop_token& stop) = 0;
};

/// Reads a PolicyDefinition, ClusterPolicyDefinition or ExecutorDefinition object. `runtime_for`
/// gives the runtime of a key of spec.runtime ("jsonnet", "exec", ...), or null where that runtime
/// is not allowed or unknown. `read_query` says what the text of a metric's query means. Fails with
/// invalid: a bad schema, no or several runtimes, one that is not allowed.
util::Result<std::shared_ptr<const PolicyDefinition>> read_policy_definition(
    const Json& object,
    const std::function<std::shared_ptr<PolicyRuntime>(const std::string& key)>& runtime_for,
    const std::function<Query(std::string text)>& read_query);

/// The policies by name: built-in ones first (nobody can replace them), then the namespace's own,
/// then the cluster's. Names match exactly; aliases and case are a courtesy of only built-ins.
/// Filled before a run, read by all threads during it.
class PolicyCatalog {
 public:
  /// `noun`: what they are called in errors.
  explicit PolicyCatalog(std::string noun = "policy") : m_noun(std::move(noun)) {}
  void add_builtin(std::shared_ptr<const PolicyDefinition> definition,
                   const std::vector<std::string>& aliases = {});
  /// Fails with conflict when the name is a built-in's.
  util::Result<> add(std::shared_ptr<const PolicyDefinition> definition);
  /// Remembers that a definition of that name exists but cannot be used, so that the nodes that
  /// use it say why.
  void add_broken(const std::string& ns, const std::string& name, util::Error error);
  /// Case is ignored, also for definitions: SomePolicy names the object somepolicy.
  /// Fails with invalid (reason UnknownPolicy) and a suggestion, or with a broken one's error.
  util::Result<std::shared_ptr<const PolicyDefinition>> find(const std::string& ns,
                                                             const std::string& name) const;
  /// That of a node's policy. One that is imposed is built in, or a ClusterPolicyDefinition, and no
  /// image: nothing that members of a project may write. Errors as above, and invalid, reason
  /// NotImposable.
  util::Result<std::shared_ptr<const PolicyDefinition>> find(
      const Node& node, const resources::NamedCall& call) const;
  /// All that can be named in a namespace, by name.
  std::vector<std::shared_ptr<const PolicyDefinition>> list(const std::string& ns) const;

 private:
  using Entry = util::Result<std::shared_ptr<const PolicyDefinition>>;
  std::string m_noun;
  std::map<std::string, std::shared_ptr<const PolicyDefinition>>
      m_builtins;                                                  ///< lower case, aliases
  std::map<std::pair<std::string, std::string>, Entry> m_defined;  ///< (namespace, name)
};

/// Compiles a parameters schema (type object unless it says otherwise); `what` names it in errors.
util::Result<std::shared_ptr<const data::Schema>> compile_parameters(const Json& parameters,
                                                                     const std::string& what);

/// All that the policy asks with these parameters.
Queries metrics_of(const PolicyDefinition& definition, const Json& parameters);

/// Invalid: the definition is not for objects of this kind.
util::Result<> check_kind(const PolicyDefinition& definition, std::string_view kind);

/// All that is wrong with parameters: by the schema, or by the definition's check where the schema
/// takes them. Positions are those of `lookup`. Empty: they are right.
std::vector<util::Error> parameter_errors(const PolicyDefinition& definition,
                                          const Json& parameters,
                                          const data::PositionLookup& lookup = {});

/// The parameters that a policy runs with: `given`, then `settings` for those of its schema that
/// are not given, then the schema's defaults; without parameter_errors(). Fails with invalid,
/// naming each field, reason InvalidParameters.
util::Result<Json> resolve_parameters(const PolicyDefinition& definition, const Json& given,
                                      const Json& settings);

}  // namespace kubist::engine
