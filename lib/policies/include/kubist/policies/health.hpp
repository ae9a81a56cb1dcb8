#pragma once
#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

/// Health: a CanaryRelease rolls back when the canary's pods stay not ready.
///
///   policies:
///     - name: Health
///       parameters:
///         failureThreshold: 3            # checks in a row without a ready pod, then it rolls back
///         step: 1m                       # how long each weight is live before the next
///
/// Alone it moves the weights like Timed; before another policy it is the guard.
Builtin health();

}  // namespace kubist::policies
