#pragma once
#include <memory>
#include <stop_token>
#include <string>

#include <kubist/kube/client.hpp>
#include <kubist/metrics/answer.hpp>
#include <kubist/metrics/promql.hpp>

namespace kubist::metrics {

/// A Deployment as its status tells it.
struct WorkloadHealth {
  int wanted = 0;  ///< spec.replicas
  int replicas = 0;
  int updated = 0;
  int ready = 0;
  int available = 0;
  int unavailable = 0;
  bool available_condition = false;
  bool observed = false;  ///< the status is about the present spec
  std::string selector;   ///< of its pods
};

/// What the pods use now, summed over containers and pods.
struct WorkloadUsage {
  double cpu_cores = 0;
  double memory_bytes = 0;
  int pods = 0;  ///< that are in the sums
};

/// Reads the Deployment. Inconclusive: NotFound, Forbidden, Unreachable, Timeout, Cancelled, Error.
Expected<WorkloadHealth> workload_health(kube::Client& client, const std::string& ns,
                                         const std::string& deployment,
                                         const std::stop_token& stop);

/// Reads metrics.k8s.io. Inconclusive: also NoData (no pod has figures yet, or no metrics server).
Expected<WorkloadUsage> workload_usage(kube::Client& client, const std::string& ns,
                                       const std::string& selector, const std::stop_token& stop);

/// The value of a measure of a workload (not of requests: those are Error).
Expected<double> workload_measure(kube::Client& client, const std::string& ns,
                                  const std::string& deployment, Measure::What what,
                                  const std::stop_token& stop);

}  // namespace kubist::metrics
