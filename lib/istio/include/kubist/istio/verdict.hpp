#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/istio/evidence.hpp>
#include <kubist/istio/versions.hpp>

namespace kubist::istio {

/// In the order of the decision table: the first that applies is the verdict.
enum class Verdict {
  unknown,     ///< a question was not answered
  absent,      ///< nothing of Istio is there
  leftover,    ///< CRDs or webhooks without a control plane
  remote,      ///< the control plane runs elsewhere
  partial,     ///< something that belongs to it is missing
  installing,  ///< it is being rolled out
  unhealthy,   ///< it does not work
  degraded,    ///< the control plane works, but not for all of the mesh
  outdated,    ///< it works, but is not supported
  healthy,
};
/// The lower-case word, e.g. "healthy"; stable.
std::string_view to_string(Verdict verdict);

/// One thing that is not as it should be.
struct Finding {
  Verdict verdict = Verdict::unknown;  ///< what it makes of its subject
  std::string code;  ///< for programs, e.g. "missing:ClusterRole/istiod-clusterrole-istio-system"
  std::string evidence;  ///< for people; stable while nothing changes
  std::string next;      ///< a command to run or a thing to do
  std::string revision;  ///< empty: of the cluster
  /// The namespaces (NS), or pods (NS/POD), of the mesh's users that it names.
  std::vector<std::string> about;
};

/// One control plane, by revision and namespace.
struct RevisionReport {
  std::string name, ns;
  Verdict verdict = Verdict::healthy;
  bool ready = false;
  std::string version, version_source;
  std::string installer;
  bool ambient = false;
  std::int64_t ready_replicas = 0, wanted_replicas = 0;
  std::vector<std::string> tags;
  std::vector<std::string> namespaces;  ///< whose pods it injects or captures
  std::size_t proxies = 0;
  bool counts = false;  ///< does its verdict count for the cluster's?
};

/// The answer to "is Istio installed and healthy?".
struct Report {
  Verdict verdict = Verdict::unknown;
  /// Can workloads rely on it? True for healthy, outdated, degraded, and remote where the probe did
  /// not fail.
  bool ready = false;
  std::string version, revision;  ///< of the control plane that decided, where there is one
  std::vector<Finding> findings;  ///< those of the verdict first, then in the table's order
  std::vector<RevisionReport> revisions;
  std::vector<std::string> notes;  ///< what is worth knowing and changes nothing
  std::string kubernetes_version;
  std::string support_as_of;
};

/// What counts: all control planes, or those of one namespace or revision.
struct Scope {
  std::string ns, revision;
};

/// Applies the decision table. Pure; the same evidence gives the same report.
Report judge(const Evidence& evidence, const Scope& scope = {},
             const SupportTable& support = built_in_support());

/// The same for those who may not see the whole cluster: findings that name namespaces or pods that
/// are not `own` only count the namespaces.
Report without_names(Report report, const std::function<bool(const std::string& ns)>& own);

/// What a program reads.
data::Json to_json(const Report& report);
/// One line for people: verdict, version, and what decided it.
std::string summary(const Report& report);
/// The command or step to take next: of the finding that decided; empty where nothing is to be
/// done.
std::string next_step(const Report& report);
/// A code as a reason of a condition: "istiod-not-ready:x" -> "IstiodNotReady".
std::string condition_reason(const Report& report);

}  // namespace kubist::istio
