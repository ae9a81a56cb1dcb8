#pragma once
#include <kubist/engine/executor.hpp>

#include "keep/traffic_place.hpp"
#include "world/work.hpp"

namespace kubist::executors {

inline constexpr std::string_view k_override_annotation = "kubist.io/override";

/// A TrafficRoute's spec with the weights that a release moved, or an experiment's split.
struct MovedRoute {
  data::Json object;         ///< as it shall be live
  data::Json moved_weights;  ///< status.override; null: none
};

/// status.override as the live object has it too, where a status that was lost does not: else what
/// a release moved would go back unasked. Null: there is none.
util::Result<data::Json> lost_override(Work& work, const TrafficPlace& place,
                                       const kube::ApiResource& resource, const std::string& name);

/// SpecBehind: a release is over whose weights spec.routes does not say; False where it said so and
/// does not any more; nothing: it never did.
std::optional<resources::Condition> spec_behind(const Work& work, const data::Json& moved_weights);

/// Moves them as a release of this run wants it, or as one did before: until the release is gone,
/// or its spec.routes change after the release is over; `lost`: of lost_override(). Invalid:
/// nothing goes to the stable version.
util::Result<MovedRoute> move_weights(Work& work, data::Json object, const data::Json& lost);

}  // namespace kubist::executors
