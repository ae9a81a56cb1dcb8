#pragma once
#include "steps/steps_plan.hpp"

namespace kubist::policies {

/// {metrics, initialDelay, dryRun} by Argo Rollouts' fields: the analysis (a pause for its delay,
/// where nothing is measured), and behind it a job for each metric that is one. Invalid, naming the
/// metric: another field, no metrics, one that neither a range nor a condition judges.
util::Result<std::vector<Step>> read_analysis(const Json& given, const std::string& where,
                                              const Place& place);

/// What it asks besides the window.
engine::Queries queries_of(const AnalysisMetric& metric);

/// The window by one metric. Argo's rule: where only one condition is given the other is its
/// opposite; both given and neither true is inconclusive.
WindowCheck check_metric(const AnalysisMetric& metric, const WindowValues& window);

}  // namespace kubist::policies
