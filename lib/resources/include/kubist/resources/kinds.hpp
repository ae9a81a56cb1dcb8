#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/result.hpp>

namespace kubist::resources {

inline constexpr std::string_view k_kubist_group = "kubist.io";
inline constexpr std::string_view k_landscaper_group = "landscaper.gardener.cloud";
inline constexpr std::string_view k_version = "v1alpha1";
inline constexpr std::string_view k_kubist_api_version = "kubist.io/v1alpha1";
inline constexpr std::string_view k_landscaper_api_version = "landscaper.gardener.cloud/v1alpha1";

/// On what kubist makes, for people and for its own lists.
inline constexpr std::string_view k_managed_by_label = "app.kubernetes.io/managed-by";
/// On what kubist makes for a node, whose it is: "HOME_UID/Kind/namespace/name".
inline constexpr std::string_view k_owner_annotation = "kubist.io/owner";
/// The finalizer of a Secret that gives a Cluster access: it outlives what needs it, and nothing
/// that users run may read it.
inline constexpr std::string_view k_in_use_finalizer = "kubist.io/in-use";

/// What a person asks of a node, "VERB@ID": answered in status.handledRequest.
inline constexpr std::string_view k_request_annotation = "kubist.io/request";

/// The secret key under which a Cluster's kubeconfig is found when the spec names none.
inline constexpr std::string_view k_default_kubeconfig_key = "value";

/// One row of the table of kinds. CONTRIBUTING.md says what else a new kind needs.
struct Kind {
  std::string_view name;    ///< "VirtualCluster"
  std::string_view plural;  ///< "virtualclusters"
  std::string_view group;
  std::string_view short_name;              ///< of the CRD: "kvc"
  std::span<const std::string_view> words;  ///< familiar words that kubist takes too: "vc"
  bool namespaced = true;
  std::string_view parent;  ///< the kind above it in the tree, or empty
  bool node = false;        ///< part of the tree (has executor, policies, ...)
  bool definition = false;  ///< of a function: a policy or an executor
};

/// All kinds in the order of the design table, which is also the order of a run among siblings.
std::span<const Kind> kinds();
/// By exact kind name; null when it is none of ours.
const Kind* find_kind(std::string_view group, std::string_view name);
/// By kind, plural, singular, short name or familiar word, any case; "Kind.group" forms too.
const Kind* find_kind_by_word(std::string_view word);
/// Every word that find_kind_by_word takes, for suggestions and completion.
std::vector<std::string> kind_words();
/// The place in the table, from 0; -1 for foreign kinds.
int kind_order(std::string_view group, std::string_view name);

/// Is it an object of one of our kinds (by group and kind)?
bool is_kubist_object(const data::Json& object);
/// Is it of a kind that defines functions?
bool is_definition(const data::Json& object);

/// "group/version" of a kind.
std::string api_version(const Kind& kind);

// Spec accessors: one place for defaults and aliases, so that an object works the same whether the
// API server filled in its defaults or not. All take the whole object.

/// A named piece of logic with its parameters (an executor or one policy).
struct NamedCall {
  std::string name;
  data::Json parameters;  ///< an object; empty when none are given
  /// Of a policy: the Root or Project that imposes it ("Project/shop"); empty: the object's own.
  std::string imposed_by = {};
};

/// Policies that a Root or a Project has for kinds below it.
struct Imposition {
  std::vector<std::string> kinds;   ///< "Execution"
  std::vector<NamedCall> policies;  ///< in order
  bool last = true;                 ///< after the policies of the object, else before these
  bool allow_override = false;      ///< an object's own of the same name stands for it
};

/// spec.executor or its alias policyExecutor; nothing when the kind's default applies.
std::optional<NamedCall> executor_of(const data::Json& object);
/// spec.policies in order; a CanaryRelease without any has Statistical, an Experiment
/// ABTest.
std::vector<NamedCall> policies_of(const data::Json& object);
/// spec.impose of a Root or Project, in order.
std::vector<Imposition> impositions_of(const data::Json& object);
bool is_suspended(const data::Json& object);
/// "Kind/name" as an object of ours in the namespace of `from` (none for cluster-scoped kinds);
/// nothing when the text is no reference.
std::optional<ObjectRef> resolve_ref(const data::Json& from, std::string_view text);
/// spec.dependsOn as references in the object's own namespace; unreadable ones are left out (the
/// schema reports them).
std::vector<ObjectRef> depends_on(const data::Json& object);
/// "Delete", "Orphan", or empty when the default (by who made it) applies.
std::string_view deletion_policy(const data::Json& object);
/// spec.settings, or an empty object.
const data::Json& settings_of(const data::Json& object);
/// The object above it in the tree, from its references and namespace; nothing for the Root and for
/// kinds outside the tree. A Project's parent is Root/root. An object that lives in a project
/// namespace and names no further parent has the Project of that namespace: its name is empty here,
/// the caller knows which Project owns the namespace.
std::optional<ObjectRef> parent_of(const data::Json& object);
/// Every other object of ours that the spec names (dependsOn, imports of executions, ...), same
/// namespace.
std::vector<ObjectRef> references_of(const data::Json& object);

/// The namespace that a Project owns: spec.namespace, by default its name.
std::string project_namespace(const data::Json& project);
/// The ServiceAccount that kubist makes, in its namespace, for a Project that names none.
inline constexpr const char* k_project_account = "kubist-project";
/// The account as which a Project's objects are handled on the home cluster:
/// spec.serviceAccountName, or k_project_account.
std::string project_account(const data::Json& project);
/// The name by which the API server knows that account.
std::string project_user(const data::Json& project);
/// "system:serviceaccount:NAMESPACE:NAME".
std::string service_account_user(std::string_view ns, std::string_view name);
/// Patterns of home namespaces that a Project's virtual clusters may use: its own, and by default
/// NAME-*.
std::vector<std::string> project_home_patterns(const data::Json& project);
/// Namespaces of the home cluster that no project may own or use: default, istio-system, kube-*.
bool is_reserved_namespace(std::string_view ns);
/// The namespace that a VirtualCluster keeps on its cluster: spec.namespace, by default its name.
std::string virtual_cluster_namespace(const data::Json& virtual_cluster);

}  // namespace kubist::resources
