#pragma once
#include "steps/steps_plan.hpp"

namespace kubist::policies {

/// A metric of an analysis with Argo's `provider: {job: {spec}}`, as the same job step: of the
/// Job's spec its one container, imagePullSecrets, activeDeadlineSeconds (the timeout) and
/// backoffLimit (the retries; 6, as Kubernetes has it). Invalid, naming it: another field, which
/// would be left out. https://argo-rollouts.readthedocs.io/en/stable/analysis/job/
util::Result<Step> read_job_metric(const Json& metric, const std::string& where,
                                   const Place& place);

}  // namespace kubist::policies
