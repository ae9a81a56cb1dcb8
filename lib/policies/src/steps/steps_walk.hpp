#pragma once
#include <kubist/release/plan.hpp>

#include "policy/release_policy.hpp"
#include "steps/steps_plan.hpp"

namespace kubist::policies {

/// Goes on through the steps at the present weight as far as they are done, keeps how far that is
/// in the policy's state, and decides. Gives the first step that is not done.
std::size_t walk_steps(Json& list, const ReleaseView& view, const release::Plan& plan,
                       const Stage& stage);

}  // namespace kubist::policies
