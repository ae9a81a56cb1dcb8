#pragma once
#include <chrono>
#include <optional>
#include <vector>

#include <kubist/executors/session.hpp>

namespace kubist::executors {

/// Releases that a run left under way, and when the first of them is to be looked at again. Each
/// look is a run of its own: the routes move in between.
struct ReleasesDue {
  std::vector<engine::Key> releases;
  std::chrono::milliseconds after{0};
};

/// Nothing: no release is under way.
std::optional<ReleasesDue> releases_due(const Run& run);

/// Puts what a later run over a part of the tree learned into the report of the first.
void take_over(engine::Report& report, const engine::Report& later);

}  // namespace kubist::executors
