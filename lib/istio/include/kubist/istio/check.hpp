#pragma once
#include <stop_token>

#include <kubist/istio/gather.hpp>
#include <kubist/istio/verdict.hpp>

namespace kubist::istio {

/// gather() and judge().
util::Result<Report> check(kube::Client& client, const Scope& scope = {},
                           const SupportTable& support = built_in_support(),
                           const GatherOptions& options = {}, const std::stop_token& stop = {});

}  // namespace kubist::istio
