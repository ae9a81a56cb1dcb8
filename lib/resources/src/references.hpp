#pragma once
#include <vector>

#include <kubist/resources/validate.hpp>

namespace kubist::resources {

/// What kubist's objects are to each other: one name twice, missing parents and dependencies,
/// cycles. Takes only manifests of kubist's kinds.
std::vector<util::Error> check_references(const std::vector<const Manifest*>& manifests,
                                          const ValidateContext& context);

/// Executor and policy names, and their parameters as far as the context checks them.
std::vector<util::Error> check_calls(const std::vector<const Manifest*>& manifests,
                                     const ValidateContext& context);

}  // namespace kubist::resources
