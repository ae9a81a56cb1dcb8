#pragma once
#include <vector>

#include <kubist/executors/tree.hpp>

namespace kubist::executors {

/// Puts objects as they would be into the snapshot, over those of the same name.
void overlay(Snapshot& snapshot, const std::vector<data::Json>& planned);

}  // namespace kubist::executors
