#pragma once
#include <kubist/engine/executor.hpp>
#include <kubist/traffic/override.hpp>

#include "keep/traffic_place.hpp"
#include "world/work.hpp"

namespace kubist::executors {

inline constexpr std::string_view k_override_annotation = "kubist.io/override";

/// A TrafficRoute's spec with the weights that a release moved, or an experiment's split.
struct MovedRoute {
  data::Json object;                       ///< as it shall be live
  std::optional<traffic::Override> given;  ///< status.override; nothing: its own weights
};

/// status.override as the live object has it too, where a status that was lost does not: else what
/// a release moved would be undone unasked. Nothing: there is none.
util::Result<std::optional<traffic::Override>> lost_override(Work& work, const TrafficPlace& place,
                                                             const kube::ApiResource& resource,
                                                             const std::string& name);

/// SpecBehind: a release is over whose weights spec.routes does not say; False where it said so and
/// does not any more; nothing: it never did.
std::optional<resources::Condition> spec_behind(const engine::Node& route,
                                                const std::optional<traffic::Override>& given);

/// Moves them as a release of this run wants it, or as one did before: until the release is gone,
/// or its spec.routes change after the release is over; `lost`: of lost_override(). Invalid:
/// nothing goes to the stable version.
util::Result<MovedRoute> move_weights(Work& work, data::Json object,
                                      const std::optional<traffic::Override>& lost);

}  // namespace kubist::executors
