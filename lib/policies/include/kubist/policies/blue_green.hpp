#pragma once
#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

/// BlueGreen: a CanaryRelease gets all the traffic in one step once its pods are ready, written as
/// Argo Rollouts writes it.
///
///   policies:
///     - name: BlueGreen
///       parameters:
///         autoPromotionEnabled: true     # false: a person's yes is needed (kind Approval)
///         autoPromotionSeconds: 0        # how long its pods are ready before
///         scaleDownDelaySeconds: 30      # how long it can still go back: the release's bake
///
/// It sets spec.weights to [100] and spec.bake; policies after it judge at 100 %, with the abort
/// armed.
Builtin blue_green();

}  // namespace kubist::policies
