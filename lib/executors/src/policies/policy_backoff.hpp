#pragma once
#include <memory>

#include <kubist/engine/policy.hpp>
#include <kubist/util/clock.hpp>

namespace kubist::executors {

/// A runtime that asks a policy which took too long for a resource again only after a while: 30 s,
/// then twice that and so on up to 10 minutes; until then the answer is the same error. A run waits
/// for all of its policies, so one that hangs would hold up every look of a watch at the others.
/// Forgets it when the policy answers in time, or its source changes, or nobody has asked it for 10
/// minutes though they could. `clock` outlives it.
std::shared_ptr<engine::PolicyRuntime> with_backoff(std::shared_ptr<engine::PolicyRuntime> runtime,
                                                    const util::Clock& clock);

}  // namespace kubist::executors
