#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/istio/evidence.hpp>
#include <kubist/istio/preflight.hpp>
#include <kubist/kube/client.hpp>

/// Moving namespaces from one revision of Istio to another: the middle of a canary upgrade, between
/// installing the new revision beside the old one and uninstalling the old one.
namespace kubist::istio {

/// A namespace as it is now.
struct MeshNamespace {
  std::string name;
  data::Json object;  ///< null: it does not exist
  /// Its pods, and its Deployments, StatefulSets and DaemonSets.
  std::vector<data::Json> pods, workloads;
};

/// A workload of which not all pods have a proxy of the revision that is wanted.
struct Behind {
  std::string ns;
  std::string kind;  ///< Deployment, StatefulSet, DaemonSet; Job, ReplicaSet, Pod, ... for others
  std::string name;
  std::size_t pods = 0;                ///< that it has
  std::size_t old = 0;                 ///< of them, those behind
  std::vector<std::string> revisions;  ///< what those have, sorted; "" is no proxy
  std::string why_not;                 ///< why it cannot be restarted; empty: it can
};
/// "2 of 3 pods have the proxy of revision default".
std::string to_string(const Behind& behind);

/// What the move of one namespace takes.
struct NamespaceMove {
  std::string name;
  bool labelled = false;  ///< it has the labels already, and no others
  std::vector<Behind> behind;
};

/// What plan_move() says: with obstacles nothing is to be written.
struct MovePlan {
  std::vector<Obstacle> obstacles;
  std::string control_plane;  ///< the name of the revision behind the revision or tag
  std::vector<NamespaceMove> namespaces;
  std::vector<std::string> notes;
};

/// What it takes that the pods of these namespaces get their proxies from a revision, or from the
/// one that a revision tag leads to. Pure. Codes of obstacles:
///   unknown:CODE                a question about the cluster was not answered
///   no-revision:REVISION        there is no such revision or tag
///   not-ready:REVISION          its control plane does not work
///   no-namespace:NS, namespace-terminating:NS
///   ambient:NS                  its pods have no proxies of a revision, ztunnel takes them
///   injection-disabled:NS       it is kept out of the mesh by its label
///   kept-labels:NS              a VirtualCluster keeps the labels that would have to change
MovePlan plan_move(const Evidence& evidence, const std::vector<MeshNamespace>& namespaces,
                   const std::string& revision, const SupportTable& support = built_in_support());

/// What move() moves, and how.
struct MoveOptions {
  std::string revision;  ///< or a revision tag
  std::vector<std::string> namespaces;
  bool restart = false;  ///< restart what is behind, as `kubectl rollout restart` does, and wait
  kube::DryRun dry_run = kube::DryRun::none;
  /// For waiting, on the API server to see the labels and on all that was restarted.
  std::chrono::nanoseconds timeout = std::chrono::minutes(5);
  /// "namespace/shop", "moved"; "deployment/shop/web", "restarted". In a dry run: what would be.
  std::function<void(std::string_view subject, std::string_view what)> on_done;
  std::function<void(std::string_view text)> on_progress;
};

/// How move() ended.
struct MoveOutcome {
  std::vector<Obstacle> obstacles;  ///< not empty: nothing was written
  std::vector<Behind> behind;       ///< what still is, when it is done
  std::vector<std::string> notes;
};

/// Labels the namespaces istio.io/rev=REVISION, takes istio-injection away, and restarts where that
/// is wanted what has pods with another proxy or none: after server dry runs have shown that new
/// pods get the new one. What is as it should be is not written: one that was interrupted goes on
/// when it is run again. Obstacles: those of plan_move() and forbidden:VERB RESOURCE.
///
/// Errors: not_ready and timeout with what was waited for, forbidden, unavailable, cancelled.
util::Result<MoveOutcome> move(kube::Client& client, const MoveOptions& options,
                               const SupportTable& support = built_in_support(),
                               const std::stop_token& stop = {});

}  // namespace kubist::istio
