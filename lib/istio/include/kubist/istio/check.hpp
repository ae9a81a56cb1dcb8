#pragma once
#include <stop_token>
#include <string_view>

#include <kubist/istio/gather.hpp>
#include <kubist/istio/verdict.hpp>

namespace kubist::istio {

/// gather() and judge(). The one error is that of gather(): cancelled. What was not answered is in
/// the report.
util::Result<Report> check(kube::Client& client, const Scope& scope = {},
                           const SupportTable& support = built_in_support(),
                           const GatherOptions& options = {}, const std::stop_token& stop = {});

/// What holds for what is written in a namespace: judge() of the control plane that injects or
/// captures its pods, or of that scope where none does.
Report judge_for(const Evidence& evidence, std::string_view ns, const Scope& scope);

}  // namespace kubist::istio
