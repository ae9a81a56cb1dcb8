#pragma once
#include <kubist/engine/executor.hpp>

#include "work.hpp"

namespace kubist::executors {

inline constexpr std::string_view k_override_annotation = "kubist.io/override";

/// A TrafficRoute's spec with the weights that a release moved, or an experiment's split.
struct MovedRoute {
  data::Json object;         ///< as it shall be live
  data::Json moved_weights;  ///< status.override; null: none
};

/// Moves them as a release of this run wants it, or as one did before: until the release is gone,
/// or its spec.routes change after the release is over. Invalid: nothing goes to the stable
/// version.
util::Result<MovedRoute> move_weights(Work& work, data::Json object);

}  // namespace kubist::executors
