#pragma once
#include <optional>

#include <kubist/policies/builtin.hpp>
#include <kubist/policies/statistical.hpp>
#include <kubist/release/plan.hpp>

namespace kubist::policies {

/// Statistical: a CanaryRelease goes on when the canary is proven to spend at most the budget, and
/// back when it is proven to be worse than stable. The default of a release that names no policy.
///
///   policies:
///     - name: Statistical
///       parameters:                      # all have defaults
///         alpha: 0.05                    # chance that a good canary is ever aborted
///         beta: 0.05                     # chance that one that spends the budget is promoted
///         tolerance: 0.5                 # points that the canary may fail more than stable
///         budget: 1                      # points of all requests that may fail more
///         minimumRequests: 50            # of the canary, before a step is left
///         minimumWindows: 3
///         latency: {bound: 500ms, tolerance: 5}   # points that may be slower than the bound
///
/// Windows come as metrics.window, see docs/reference/canary.md; the tests are in statistical.hpp.
Builtin statistical();

/// What its resolved parameters say of a release on so many clusters. Invalid, as
/// check_parameters().
util::Result<StatisticalParameters> statistical_parameters(const data::Json& parameters,
                                                           const release::Plan& plan,
                                                           std::size_t clusters);

/// Those of a CanaryRelease's first policy Statistical, on one cluster; nothing: it has none.
/// Errors: a policy that the catalog does not have, or parameters that Statistical does not take.
util::Result<std::optional<StatisticalParameters>> find_statistical(
    const data::Json& release, const engine::PolicyCatalog& catalog);

}  // namespace kubist::policies
