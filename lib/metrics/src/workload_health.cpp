#include <kubist/data/pointer.hpp>
#include <kubist/metrics/workload_health.hpp>
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

int count_at(const Json& object, std::string_view section, std::string_view field) {
  return static_cast<int>(data::int_at(object, {section, field}));
}

bool is_available(const Json& deployment) {
  const Json* conditions = data::find_path(deployment, {"status", "conditions"});
  for (const Json& condition : conditions != nullptr ? *conditions : Json::array()) {
    if (data::string_at(condition, {"type"}) == "Available") {
      return data::string_at(condition, {"status"}) == "True";
    }
  }
  return false;
}

/// "a=b,c=d" and the expressions, as the API takes it in a query.
std::string selector_of(const Json& deployment) {
  std::vector<std::string> terms;
  const Json* labels = data::find_path(deployment, {"spec", "selector", "matchLabels"});
  if (labels != nullptr && labels->is_object()) {
    for (const auto& [name, value] : labels->items()) {
      terms.push_back(cat(name, '=', value.is_string() ? value.get<std::string>() : ""));
    }
  }
  const Json* expressions = data::find_path(deployment, {"spec", "selector", "matchExpressions"});
  for (const Json& each : expressions != nullptr ? *expressions : Json::array()) {
    const std::string key(data::string_at(each, {"key"}));
    const std::string_view verb = data::string_at(each, {"operator"});
    std::vector<std::string> values;
    const Json* given = data::find_path(each, {"values"});
    for (const Json& value : given != nullptr ? *given : Json::array()) {
      values.push_back(value.is_string() ? value.get<std::string>() : "");
    }
    if (verb == "Exists" || verb == "DoesNotExist") {
      terms.push_back((verb == "Exists" ? "" : "!") + key);
    } else {
      terms.push_back(cat(key, verb == "In" ? " in (" : " notin (", util::join(values, ","), ')'));
    }
  }
  return util::join(terms, ",");
}

double quantity_at(const Json& container, std::string_view name) {
  return util::quantity_value(data::string_at(container, {"usage", name})).value_or(0);
}

}  // namespace

Expected<WorkloadHealth> workload_health(kube::Client& client, const std::string& ns,
                                         const std::string& deployment,
                                         const std::stop_token& stop) {
  const auto found = client.find(kube::well_known::deployments(), ns, deployment, stop);
  if (!found) {
    return tl::unexpected<Answer>(answer_of(found.error()));
  }
  if (!*found) {
    return inconclusive(k_reason_not_found, cat("there is no Deployment ", ns, '/', deployment));
  }
  const Json& object = **found;
  WorkloadHealth health;
  health.wanted = static_cast<int>(data::int_at(object, {"spec", "replicas"}, 1));
  health.replicas = count_at(object, "status", "replicas");
  health.updated = count_at(object, "status", "updatedReplicas");
  health.ready = count_at(object, "status", "readyReplicas");
  health.available = count_at(object, "status", "availableReplicas");
  health.unavailable = count_at(object, "status", "unavailableReplicas");
  health.available_condition = is_available(object);
  health.observed = data::int_at(object, {"status", "observedGeneration"}) >=
                    data::int_at(object, {"metadata", "generation"});
  health.selector = selector_of(object);
  return health;
}

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
  WorkloadUsage usage;
  for (const Json& pod : pods->items) {
    ++usage.pods;
    const Json* containers = data::find_path(pod, {"containers"});
    for (const Json& container : containers != nullptr ? *containers : Json::array()) {
      usage.cpu_cores += quantity_at(container, "cpu");
      usage.memory_bytes += quantity_at(container, "memory");
    }
  }
  if (usage.pods == 0) {
    return inconclusive(k_reason_no_data, cat("metrics.k8s.io has no figures of pods with ",
                                              selector, " in namespace ", ns));
  }
  return usage;
}

Expected<double> workload_measure(kube::Client& client, const std::string& ns,
                                  const std::string& deployment, Measure::What what,
                                  const std::stop_token& stop) {
  using What = Measure::What;
  const auto health = workload_health(client, ns, deployment, stop);
  if (!health) {
    return tl::unexpected<Answer>(health.error());
  }
  switch (what) {
    case What::replicas:
      return health->replicas;
    case What::updated_replicas:
      return health->updated;
    case What::available_replicas:
      return health->available;
    case What::unavailable_replicas:
      return health->unavailable;
    case What::availability:
      return health->available_condition ? 1 : 0;
    case What::cpu:
    case What::memory:
      break;
    default:
      return inconclusive(k_reason_error, "a Deployment does not count requests");
  }
  const auto usage = workload_usage(client, ns, health->selector, stop);
  if (!usage) {
    return tl::unexpected<Answer>(usage.error());
  }
  return what == What::cpu ? usage->cpu_cores : usage->memory_bytes;
}

}  // namespace kubist::metrics
