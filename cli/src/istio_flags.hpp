#pragma once
#include <functional>

#include <kubist/apply/report.hpp>
#include <kubist/cli/command.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/istio/versions.hpp>

/// What the commands of `kubist istio` share.
namespace kubist::cli {

/// --supported FILE.
Flag supported_flag();
/// The releases that it says are supported; without it those that kubist knows.
util::Result<istio::SupportTable> support_of(const Arguments& arguments);

/// Prints "deployment/istiod created" for each result, and why one was not changed.
std::function<void(const apply::ObjectResult& result)> result_lines(Context& context,
                                                                    kube::DryRun dry_run);

}  // namespace kubist::cli
