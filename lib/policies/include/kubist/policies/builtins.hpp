#pragma once
#include <vector>

#include <kubist/policies/builtin.hpp>

namespace kubist::policies {

/// All built-in policies, by name. Names are UpperCamelCase nouns ending in "Policy" only where
/// Vamp's did; both forms are aliases, matched in any case and without dashes:
///   ABTest        ABTestPolicy, ExperimentPolicy       ab_test.hpp
///   Approval      ApprovalPolicy                       approval.hpp
///   BlueGreen     blue-green                           blue_green.hpp
///   Expression    CustomCanaryReleasePolicy            expression_policy.hpp
///   Health        HealthBasedCanaryReleasePolicy       health.hpp
///   JsonPatch     json-patch, JsonPatchPolicy, patch   json_patch.hpp
///   Metric        MetricCanaryReleasePolicy            metric.hpp
///   Statistical   StatisticalPolicy                    statistical_policy.hpp
///   Steps         StepsPolicy                          steps.hpp
///   Timed         TimedCanaryReleasePolicy             timed.hpp
///   TimedWindow   timed-window, TimedPolicy, window    timed_window.hpp
const std::vector<Builtin>& builtins();

/// Puts all of them into a catalog.
void add_builtins(engine::PolicyCatalog& catalog);

}  // namespace kubist::policies
