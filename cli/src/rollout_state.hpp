#pragma once
#include <cstdint>
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/util/result.hpp>

namespace kubist::cli {

/// Where the rollout of a workload stands.
struct RolloutState {
  std::string text;  ///< a line, in kubectl's words
  bool done = false;
};

/// Deployments, StatefulSets and DaemonSets roll out, of the group apps.
bool rolls_out(const kube::ApiResource& resource);

/// What a live object of such a kind says. `revision`, where it is not 0, is that which a
/// Deployment is to be at. not_ready: it will not get there; invalid: another revision, or a
/// strategy that has no rollout.
util::Result<RolloutState> rollout_state(const kube::ApiResource& resource,
                                         const data::Json& object, std::int64_t revision = 0);

}  // namespace kubist::cli
