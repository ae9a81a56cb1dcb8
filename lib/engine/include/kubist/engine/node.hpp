#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/error.hpp>

namespace kubist::engine {

using data::Json;

/// The index of a node in its Graph.
using NodeId = std::uint32_t;
inline constexpr NodeId k_no_node = std::numeric_limits<NodeId>::max();

/// Names one kubist object on the home cluster.
using Key = resources::ObjectRef;
struct KeyHash {
  std::size_t operator()(const Key& key) const;
};

/// What the engine reads of a status to decide with. Everything else stays in the object.
struct StatusSummary {
  std::int64_t observed_generation = 0;
  std::string ready;  ///< status of condition Ready: "True", "False", "Unknown", "" when absent
  std::string tree_ready;  ///< of condition TreeReady
  bool stalled = false;    ///< condition Stalled is True
  int failures = 0;        ///< runs in a row that failed in a way that trying again may mend
};

/// One object in the tree, as one step of a plan sees it. The object is shared and never changed.
/// An object with a virtualClusterSelector becomes one node per virtual cluster (`target`).
struct Node {
  NodeId id = k_no_node;  ///< set by Graph
  Key key;
  std::string target;  ///< VirtualCluster that this node is for; empty for other kinds
  /// The virtual clusters that its virtualClusterSelector selects, sorted; null: it has none.
  std::shared_ptr<const std::vector<std::string>> selected;
  /// Its virtual cluster is not selected any more: what the object has there goes, and no more.
  bool leaving = false;
  std::string uid;
  std::int64_t generation = 0;
  std::string resource_version;
  std::shared_ptr<const Json> object;

  bool suspend = false;
  bool deleting = false;  ///< metadata.deletionTimestamp is set
  std::vector<std::string> finalizers;
  std::optional<resources::NamedCall> executor;
  std::vector<resources::NamedCall> policies;
  std::vector<Key> depends_on;
  StatusSummary status_summary;
  /// An object of another API group (a DeployItem): its status is its deployer's. The engine reads
  /// Ready there, which counts as TreeReady too, and writes nothing.
  bool foreign_status = false;
  /// Only parts of it could be read, which `problem` says: it is neither aligned nor removed, and
  /// its status is not written.
  bool unreadable = false;

  NodeId parent = k_no_node;           ///< set by Graph, like all below
  std::vector<NodeId> children;        ///< in order: rank, namespace, name, target
  std::vector<NodeId> waits_for;       ///< dependsOn, resolved
  std::vector<NodeId> waited_by;       ///< the same edges, backwards
  unsigned rank = 0;                   ///< place of the kind in the table; raised by dependsOn
  std::optional<util::Error> problem;  ///< why this node cannot run: missing parent, cycle, ...
  std::string problem_reason;          ///< CamelCase word for it: ParentNotFound, DependencyCycle

  /// Parts of the object; an empty object where absent. Of one of several targets the status is
  /// its own (targets.hpp).
  const Json& metadata() const;
  const Json& spec() const;
  const Json& status() const;
  /// Makes it the node of one of several targets.
  void become_target(const std::string& virtual_cluster);
  /// Sets `unreadable`, and why as its problem.
  void make_unreadable(util::Error why);
  /// Was it Ready when it last ran, and its spec is still the same?
  bool recorded_ready() const;
  /// metadata.annotations[name], or empty.
  std::string annotation(std::string_view name) const;

 private:
  std::shared_ptr<const Json> m_target_status;  ///< null: the object's is its own
};

/// Reads the typed fields from an object of any kubist kind. Never fails: fields of the wrong type
/// read as absent (the schema is what complains about types).
Node make_node(std::shared_ptr<const Json> object);
Node make_node(Json object);

/// "VirtualCluster/shop/dev", with " on TARGET" for one of several targets.
std::string to_string(const Node& node);

/// The namespace of the project that it is of; empty: the Root, and other cluster-scoped ones.
std::string project_of(const Node& node);

/// Does kubist itself set conditions of that type? Functions neither set nor remove them.
bool is_engine_condition(std::string_view type);
/// The condition of that type in a status, or nullptr.
const Json* find_condition(const Json& status, std::string_view type);

}  // namespace kubist::engine
