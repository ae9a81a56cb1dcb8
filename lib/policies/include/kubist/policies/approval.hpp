#pragma once
#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

/// Approval: a CanaryRelease waits for a person's yes before it goes on.
///
///   policies:
///     - name: Statistical
///     - name: Approval
///       parameters:
///         before: [50, 100]              # weights that need a yes; every step by default
///
/// An Approval (the kind) counts for one release, target and weight, and for one attempt where it
/// names one, until it expires. Without one the policy holds, so the release's hold limit applies;
/// before the first weight nothing is moved, and no clock runs.
Builtin approval();

}  // namespace kubist::policies
