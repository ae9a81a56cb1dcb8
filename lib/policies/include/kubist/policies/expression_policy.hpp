#pragma once
#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

/// Expression: a CanaryRelease goes on while a condition over the window's numbers holds.
///
///   policies:
///     - name: Expression
///       parameters:
///         expression: canary.errorRate < 0.01 && canary.p99 <= 1.2 * stable.p99
///         count: 3                       # windows in a row, before the next weight
///         failureLimit: 1                # windows that may fail (Flagger: threshold, one more)
///         minimumRequests: 10            # of the canary, for a window to be judged
///
/// The language is expression.hpp's, the names window_values.hpp's. What cannot be told (no
/// traffic, a division by zero) holds with that reason.
Builtin expression();

}  // namespace kubist::policies
