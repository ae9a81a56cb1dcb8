#pragma once
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/apply/report.hpp>
#include <kubist/istio/preflight.hpp>
#include <kubist/istio/stages.hpp>
#include <kubist/istio/verdict.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/writer.hpp>

namespace kubist::istio {

struct InstallOptions {
  bool adopt = false;    ///< take over fields and control planes of other installers
  bool upgrade = false;  ///< refuse where it is not installed yet
  /// Give an istiod that kubist installed and that is scaled to 0 one replica, where the bundle
  /// does not say how many it wants.
  bool rescale = false;
  /// Of its rules count: a dry run of either kind (preflight and comparison only: nothing is
  /// written or waited for), `before` (asked once when nothing stands in the way; an error ends it
  /// there), the permit, and `told`. The objects go as a set (apply/set.hpp), are told by
  /// on_result, and belong to manager "kubist". The writer tells of what no set writes: istiod's
  /// replica, and the list of objects after a prune.
  kube::Writer writer;
  std::string cluster;  ///< the Cluster object's name, for what the writer tells; empty: home
  /// For waiting, on each stage and on the verdict at the end.
  std::chrono::nanoseconds timeout = std::chrono::minutes(5);
  std::function<void(Stage stage)> on_stage;
  /// Where the writer tells somebody, results have their calls, and each time that a set writes the
  /// list of objects is one; in a dry run the first, as the others need its answer.
  std::function<void(const apply::ObjectResult& result)> on_result;
  std::function<void(std::string_view text)> on_progress;
};

/// What an installation did.
struct InstallOutcome {
  std::vector<Obstacle> obstacles;  ///< not empty: nothing was written
  apply::Report applied;
  Report verdict;  ///< of check(), at the end; as it was before where nothing was done
};

/// Makes the cluster's Istio as the bundle says: preflight, then stage by stage server-side apply
/// and waiting, then pruning what the record has and the bundle has not (never CRDs, namespaces, or
/// what istiod made at run time), then check() until it is ready. Unchanged objects are not
/// written, so that a second run writes nothing and one that was interrupted goes on. caBundle and
/// failurePolicy of webhooks that istiod has taken over are not touched.
///
/// A ConfigMap kubist-install[-REV] keeps version and sha256 of the source of the last installation
/// that was brought to its end, and kubist-istio[-REV] the list of all objects (an ApplySet).
///
/// Errors: conflict (fields of other managers), not_ready or timeout with what was waited for,
/// forbidden, unavailable, cancelled. What was applied until then stays.
util::Result<InstallOutcome> install(kube::Client& client, const Bundle& bundle,
                                     const InstallOptions& options = {},
                                     const SupportTable& support = built_in_support(),
                                     const std::stop_token& stop = {});

}  // namespace kubist::istio
