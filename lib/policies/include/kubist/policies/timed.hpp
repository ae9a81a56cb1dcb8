#pragma once
#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

/// Timed: a CanaryRelease goes on by the clock, as long as the canary has ready pods.
///
///   policies:
///     - name: Timed
///       parameters:
///         step: 1m                       # how long each weight is live before the next
///
/// It judges nothing: use it where nothing can be measured.
Builtin timed();

}  // namespace kubist::policies
