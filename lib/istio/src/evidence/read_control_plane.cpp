#include <algorithm>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/istio/versions.hpp>

#include "evidence/read_support.hpp"

namespace kubist::istio {

using data::Json;
using resources::ObjectView;

namespace {

constexpr const char* k_own_manager = "kubist";  // apply::Options::manager of install()

std::string_view environment_of(const Json& container, std::string_view name) {
  for (const Json& variable : data::array_at(container, {"env"})) {
    if (data::string_at(variable, {"name"}) == name) {
      return data::string_at(variable, {"value"});
    }
  }
  return {};
}

// The labels lie where istioctl was built from source (Chart.yaml says 1.0.0 there).
std::string version_of_labels(const ObjectView& view) {
  for (const char* label : {"app.kubernetes.io/version", "operator.istio.io/version"}) {
    if (const auto value = view.label(label); parse_version(value) && value != "1.0.0") {
      return std::string(value);
    }
  }
  const std::string_view chart = view.label("helm.sh/chart");  // istiod-1.30.3
  const auto dash = chart.find('-');
  const std::string_view version = dash == chart.npos ? "" : chart.substr(dash + 1);
  return parse_version(version) && version != "1.0.0" ? std::string(version) : std::string();
}

std::string installer_of(const Json& object) {
  const ObjectView view(object);
  for (const auto& owner : view.owners()) {
    if (owner.kind == "IstioRevision") {
      return "Sail";
    }
  }
  // What was taken over keeps the entries of whoever had it before.
  for (const auto& [manager, installer] :
       {std::pair{k_own_manager, "kubist"}, std::pair{"istio-operator", "istioctl"},
        std::pair{"helm", "Helm"}}) {
    for (const Json& entry : data::array_at(object, {"metadata", "managedFields"})) {
      if (data::string_at(entry, {"manager"}) == manager) {
        return installer;
      }
    }
  }
  return view.label("app.kubernetes.io/managed-by") == "Helm" &&
                 !view.annotation("meta.helm.sh/release-name").empty()
             ? "Helm"
             : "";
}

// The first reason why a pod does not run: a container that waits, or no node for it.
void read_waiting(const Json& pod, IstiodPod& result) {
  const auto condition = ObjectView(pod).condition("PodScheduled");
  if (condition && condition->status == "False") {
    result.waiting = condition->reason;
    result.message = condition->message;
    return;
  }
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const Json& status : data::array_at(pod, {"status", list})) {
      const std::string_view reason = data::string_at(status, {"state", "waiting", "reason"});
      // These are steps of every start.
      if (!reason.empty() && reason != "ContainerCreating" && reason != "PodInitializing") {
        result.waiting = reason;
        result.message = data::string_at(status, {"state", "waiting", "message"});
        return;
      }
    }
  }
}

}  // namespace

ControlPlane read_control_plane(const Json& deployment) {
  const ObjectView view(deployment);
  ControlPlane plane;
  plane.ns = view.ns();
  plane.name = view.name();
  plane.revision = revision_of(view);
  plane.generation = view.generation();
  plane.observed_generation = view.observed_generation();
  plane.wanted = data::int_at(deployment, {"spec", "replicas"}, 1);
  plane.updated = data::int_at(deployment, {"status", "updatedReplicas"});
  plane.ready = data::int_at(deployment, {"status", "readyReplicas"});
  plane.available = data::int_at(deployment, {"status", "availableReplicas"});
  if (const auto progressing = view.condition("Progressing")) {
    plane.progress_reason = progressing->reason;
    plane.progress_failed = progressing->status == "False";
  }
  for (const Json& condition : data::array_at(deployment, {"status", "conditions"})) {
    if (data::string_at(condition, {"type"}) == "Available" &&
        data::string_at(condition, {"status"}) == "True") {
      plane.available_since = time_of(data::string_at(condition, {"lastTransitionTime"}));
    }
  }
  const Json* pod_spec = data::find_path(deployment, {"spec", "template", "spec"});
  const Json* container = pod_spec != nullptr ? container_named(*pod_spec, "discovery") : nullptr;
  if (container != nullptr) {
    plane.image_version = version_of_image(data::string_at(*container, {"image"}));
    plane.ambient = environment_of(*container, "PILOT_ENABLE_AMBIENT") == "true";
  }
  plane.label_version = version_of_labels(view);
  plane.installer = installer_of(deployment);
  if (const Json* selector = data::find_path(deployment, {"spec", "selector"});
      selector != nullptr) {
    plane.selector = *selector;
  }
  return plane;
}

IstiodPod read_istiod_pod(const Json& object) {
  const ObjectView view(object);
  IstiodPod pod;
  pod.ns = view.ns();
  pod.name = view.name();
  pod.revision = revision_of(view);
  const auto ready = view.condition("Ready");
  pod.ready = ready && ready->status == "True" && view.deletion_timestamp().empty();
  if (const Json* container = container_named(view.spec(), "discovery"); container != nullptr) {
    pod.image_version = version_of_image(data::string_at(*container, {"image"}));
  }
  if (!pod.ready && view.deletion_timestamp().empty()) {
    read_waiting(object, pod);
  }
  return pod;
}

ControlService read_service(const Json& object) {
  const ObjectView view(object);
  ControlService service;
  service.ns = view.ns();
  service.name = view.name();
  service.revision = revision_of(view);
  service.external_name = data::string_at(object, {"spec", "externalName"});
  service.has_selector = !data::object_at(object, {"spec", "selector"}).empty();
  return service;
}

void count_endpoints(const Json& slice, std::vector<ControlService>& services) {
  const ObjectView view(slice);
  const auto service = std::find_if(services.begin(), services.end(), [&](const auto& each) {
    return each.ns == view.ns() && each.name == view.label("kubernetes.io/service-name");
  });
  if (service == services.end()) {
    return;
  }
  for (const Json& endpoint : data::array_at(slice, {"endpoints"})) {
    ++service->endpoints;
    // Not said is ready: discovery.k8s.io/v1, EndpointConditions.
    service->ready_endpoints += data::bool_at(endpoint, {"conditions", "ready"}, true) ? 1 : 0;
  }
}

void read_values(const Json& config_map, RevisionConfig& config) {
  const std::string_view text = data::string_at(config_map, {"data", "merged-values"});
  const auto parsed = data::parse_json(text, "merged-values");
  if (!parsed) {
    return;
  }
  const Json& values = *parsed;
  config.validates = data::bool_at(values, {"global", "configValidation"}, true);
  config.operator_webhooks = data::bool_at(values, {"global", "operatorManageWebhooks"});
  config.foreign_ca = !data::string_at(values, {"global", "caAddress"}).empty() ||
                      !data::string_at(values, {"base", "validationCABundle"}).empty() ||
                      !data::string_at(values, {"istiodRemote", "injectionCABundle"}).empty();
}

}  // namespace kubist::istio
