#pragma once
#include <stop_token>
#include <string>

#include <kubist/kube/client.hpp>
#include <kubist/metrics/answer.hpp>

namespace kubist::metrics {

/// What pods use now, summed over them and their containers.
struct WorkloadUsage {
  double cpu_cores = 0;
  double memory_bytes = 0;
};

/// Reads metrics.k8s.io (right: list pods of that group). Inconclusive: NoData (no such pod has
/// figures yet, or no metrics server), Forbidden, Unreachable, Timeout, Cancelled, Error.
Expected<WorkloadUsage> workload_usage(kube::Client& client, const std::string& ns,
                                       const std::string& selector, const std::stop_token& stop);

}  // namespace kubist::metrics
