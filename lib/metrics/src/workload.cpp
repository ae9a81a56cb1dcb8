#include <kubist/data/pointer.hpp>
#include <kubist/metrics/workload.hpp>
#include <kubist/util/quantity.hpp>
#include <kubist/util/text.hpp>

#include "failures.hpp"

namespace kubist::metrics {

using data::Json;
using util::cat;

namespace {

const kube::ApiResource& pod_metrics() {
  static const auto resource =
      kube::make_resource("metrics.k8s.io", "v1beta1", "PodMetrics", "pods", true);
  return resource;
}

double quantity_at(const Json& container, std::string_view name) {
  return util::quantity_value(data::string_at(container, {"usage", name})).value_or(0);
}

}  // namespace

Expected<WorkloadUsage> workload_usage(kube::Client& client, const std::string& ns,
                                       const std::string& selector, const std::stop_token& stop) {
  kube::ListOptions options;
  options.label_selector = selector;
  options.paged = false;
  const auto pods = client.list(pod_metrics(), ns, options, stop);
  if (!pods) {
    Answer answer = answer_of(pods.error());
    if (answer.reason == k_reason_not_found) {
      answer.reason = k_reason_no_data;
      answer.message = "the cluster does not serve metrics.k8s.io: is a metrics server installed?";
    }
    return tl::unexpected<Answer>(std::move(answer));
  }
  if (pods->items.empty()) {
    return inconclusive(k_reason_no_data, cat("metrics.k8s.io has no figures of pods with ",
                                              selector, " in namespace ", ns));
  }
  WorkloadUsage usage;
  for (const Json& pod : pods->items) {
    const Json* containers = data::find_path(pod, {"containers"});
    for (const Json& container : containers != nullptr ? *containers : Json::array()) {
      usage.cpu_cores += quantity_at(container, "cpu");
      usage.memory_bytes += quantity_at(container, "memory");
    }
  }
  return usage;
}

}  // namespace kubist::metrics
