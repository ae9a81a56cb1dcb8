#pragma once
#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

/// Metric: a CanaryRelease goes on while numbers of its windows stay in their ranges, written as
/// Flagger writes them.
///
///   policies:
///     - name: Metric
///       parameters:
///         metrics:
///           - {name: request-success-rate, thresholdRange: {min: 99}}   # percent, of the canary
///           - {name: request-duration, thresholdRange: {max: 500}}      # its p99, milliseconds
///           - {name: slower, value: canary.p95 / stable.p95, thresholdRange: {max: 1.2}}
///         count: 1                       # windows in a row, before the next weight
///         threshold: 5                   # failed windows that take it back (or: failureLimit)
///         minimumRequests: 10            # of the canary, for a window to be judged
///
/// A window passes when all are in range (bounds included), fails when one is out of it, and is
/// inconclusive, which holds, when one cannot be told.
Builtin metric();

}  // namespace kubist::policies
