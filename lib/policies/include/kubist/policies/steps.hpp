#pragma once
#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

/// Steps: a CanaryRelease goes through a list of steps in order, as Argo Rollouts writes them.
///
///   policies:
///     - name: Steps
///       parameters:
///         steps:
///           - setWeight: 10
///           - pause: {duration: 10m}
///           - analysis:
///               initialDelay: 1m         # windows that are not judged
///               metrics:                 # of each window; as the policy Metric's, or a condition
///                 - {name: request-success-rate, thresholdRange: {min: 99}, failureLimit: 1}
///                 - {name: latency, successCondition: canary.p99 <= 500, count: 3}
///               dryRun: [{metricName: latency}]
///           - webhook: {name: gate, url: https://ci.example.com/, retries: 2}   # engine/call.hpp
///           - setWeight: 50
///           - pause: {}                  # until it is resumed, or the next weight is approved
///
/// Sets spec.weights to the weights of the list, then 100, and adds the longest pause of a weight
/// to spec.holdLimit. Steps that it does not know are refused, never skipped.
Builtin steps();

}  // namespace kubist::policies
