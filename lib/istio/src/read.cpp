#include <algorithm>
#include <array>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/istio/versions.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

using data::Json;
using resources::ObjectView;
using util::cat;

namespace {

const Json k_no_items = Json::array();
constexpr const char* k_own_manager = "kubist";  // apply::Options::manager of install()

const Json& array_at(const Json& object, std::initializer_list<std::string_view> keys) {
  const Json* found = data::find_path(object, keys);
  return found != nullptr && found->is_array() ? *found : k_no_items;
}

std::optional<std::chrono::system_clock::time_point> time_of(std::string_view text) {
  const auto time = util::parse_time(text);
  return time ? std::optional(*time) : std::nullopt;
}

std::string revision_of(const ObjectView& view) {
  const std::string_view label = view.label("istio.io/rev");
  return std::string(label.empty() ? k_default_revision : label);
}

const Json* container_named(const Json& pod_spec, std::string_view name) {
  // A native sidecar is an init container.
  for (const char* list : {"containers", "initContainers"}) {
    for (const Json& container : array_at(pod_spec, {list})) {
      if (data::string_at(container, {"name"}) == name) {
        return &container;
      }
    }
  }
  return nullptr;
}

std::string_view environment_of(const Json& container, std::string_view name) {
  for (const Json& variable : array_at(container, {"env"})) {
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
    for (const Json& entry : array_at(object, {"metadata", "managedFields"})) {
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

Webhook read_webhook(const Json& entry) {
  Webhook webhook;
  webhook.name = data::string_at(entry, {"name"});
  webhook.target.url = data::string_at(entry, {"clientConfig", "url"});
  webhook.target.ns = data::string_at(entry, {"clientConfig", "service", "namespace"});
  webhook.target.name = data::string_at(entry, {"clientConfig", "service", "name"});
  webhook.ca_bundle =
      util::base64_decode(data::string_at(entry, {"clientConfig", "caBundle"})).value_or("");
  webhook.fail_closed = data::string_at(entry, {"failurePolicy"}, "Fail") == "Fail";
  for (const auto& [key, selector] : {std::pair{"namespaceSelector", &webhook.namespace_selector},
                                      std::pair{"objectSelector", &webhook.object_selector}}) {
    if (const Json* found = data::find_path(entry, {key}); found != nullptr) {
      *selector = *found;
    }
  }
  return webhook;
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
    for (const Json& status : array_at(pod, {"status", list})) {
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

Crd read_crd(const Json& object) {
  const ObjectView view(object);
  Crd crd;
  crd.name = view.name();
  crd.created = time_of(view.creation_timestamp());
  const auto conditions = view.conditions();
  if (conditions.empty()) {
    return crd;  // metadata alone
  }
  const auto established = view.condition("Established");
  const auto accepted = view.condition("NamesAccepted");
  crd.established = established && established->status == "True";
  if (!crd.established) {
    crd.reason = accepted && accepted->status == "False" ? accepted->reason
                 : established                           ? established->reason
                                                         : "NotEstablished";
  }
  if (const auto ending = view.condition("Terminating"); ending && ending->status == "True") {
    crd.established = false;
    crd.reason = "Terminating";
  }
  return crd;
}

std::optional<WebhookConfig> read_webhook_config(const Json& object) {
  const ObjectView view(object);
  WebhookConfig config;
  config.name = view.name();
  config.revision = revision_of(view);
  config.tag = view.label("istio.io/tag");
  bool ours = false;
  for (const Json& entry : array_at(object, {"webhooks"})) {
    config.webhooks.push_back(read_webhook(entry));
    ours |= config.webhooks.back().name.ends_with(".istio.io");
  }
  return ours ? std::optional(std::move(config)) : std::nullopt;
}

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
  for (const Json& condition : array_at(deployment, {"status", "conditions"})) {
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
  const Json* selector = data::find_path(object, {"spec", "selector"});
  service.has_selector = selector != nullptr && selector->is_object() && !selector->empty();
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
  for (const Json& endpoint : array_at(slice, {"endpoints"})) {
    ++service->endpoints;
    // Not said is ready: discovery.k8s.io/v1, EndpointConditions.
    service->ready_endpoints += data::bool_at(endpoint, {"conditions", "ready"}, true) ? 1 : 0;
  }
}

std::optional<NodeAgent> read_node_agent(const Json& object) {
  const ObjectView view(object);
  NodeAgent agent;
  const auto selects = [&](const char* key) {
    return data::string_at(object, {"spec", "selector", "matchLabels", key});
  };
  const char* container = nullptr;
  if (selects("k8s-app") == "istio-cni-node") {
    agent.kind = NodeAgent::Kind::cni;
    container = "install-cni";
  } else if (selects("app") == "ztunnel") {
    agent.kind = NodeAgent::Kind::ztunnel;
    container = "istio-proxy";
  } else {
    return std::nullopt;
  }
  agent.ns = view.ns();
  agent.name = view.name();
  agent.wanted = data::int_at(object, {"status", "desiredNumberScheduled"});
  agent.ready = data::int_at(object, {"status", "numberReady"});
  agent.rolling = view.observed_generation() < view.generation() ||
                  data::int_at(object, {"status", "updatedNumberScheduled"}) < agent.wanted;
  if (const Json* spec = data::find_path(object, {"spec", "template", "spec"}); spec != nullptr) {
    if (const Json* found = container_named(*spec, container); found != nullptr) {
      agent.image_version = version_of_image(data::string_at(*found, {"image"}));
    }
  }
  return agent;
}

std::optional<Proxy> read_proxy(const Json& pod) {
  const ObjectView view(pod);
  const std::string_view phase = data::string_at(pod, {"status", "phase"});
  const Json* container = container_named(view.spec(), "istio-proxy");
  if (container == nullptr || phase == "Succeeded" || phase == "Failed") {
    return std::nullopt;
  }
  Proxy proxy;
  proxy.ns = view.ns();
  proxy.pod = view.name();
  proxy.version = version_of_image(data::string_at(*container, {"image"}));
  proxy.revision = view.annotation("istio.io/rev");
  if (proxy.revision.empty()) {
    proxy.revision = revision_of(view);
  }
  return proxy;
}

SailObject read_sail(const Json& object) {
  const ObjectView view(object);
  SailObject sail;
  sail.kind = view.kind();
  sail.ns = view.ns();
  sail.name = view.name();
  sail.state = data::string_at(object, {"status", "state"});
  const auto ready = view.condition("Ready");
  sail.ready = ready && ready->status == "True" && view.observed_generation() >= view.generation();
  return sail;
}

void read_values(const Json& config_map, RevisionConfig& config) {
  const std::string_view text = data::string_at(config_map, {"data", "merged-values"});
  const auto parsed = data::parse_json(text, "merged-values");
  if (!parsed) {
    return;
  }
  const Json& values = *parsed;
  config.profile = data::string_at(values, {"profile"});
  config.validates = data::bool_at(values, {"global", "configValidation"}, true);
  config.operator_webhooks = data::bool_at(values, {"global", "operatorManageWebhooks"});
  config.foreign_ca = !data::string_at(values, {"global", "caAddress"}).empty() ||
                      !data::string_at(values, {"base", "validationCABundle"}).empty() ||
                      !data::string_at(values, {"istiodRemote", "injectionCABundle"}).empty();
}

bool cni_tainted(const Json& node) {
  const Json& taints = array_at(node, {"spec", "taints"});
  return std::any_of(taints.begin(), taints.end(), [](const Json& taint) {
    return data::string_at(taint, {"key"}) == "cni.istio.io/not-ready";
  });
}

void count_member(const Json& pod, bool ambient, Members& members) {
  const ObjectView view(pod);
  if (!view.deletion_timestamp().empty()) {
    return;
  }
  ++members.pods;
  if (ambient) {
    // Left alone on request; ztunnel takes the rest.
    if (view.label("istio.io/dataplane-mode") != "none" &&
        view.annotation("ambient.istio.io/redirection") == "pending") {
      members.half_captured.emplace_back(view.name());
    }
    return;
  }
  const auto says = [&](std::string_view answer) {
    return view.label("sidecar.istio.io/inject") == answer ||
           view.annotation("sidecar.istio.io/inject") == answer;
  };
  const bool injected = !view.annotation("sidecar.istio.io/status").empty() ||
                        !view.label("service.istio.io/canonical-name").empty();
  if (!injected && !says("false")) {
    members.without_proxy.emplace_back(view.name());
  }
}

Membership membership(const Json& labels) {
  const std::string_view injection = data::string_at(labels, {"istio-injection"});
  if (injection == "enabled" ||
      (injection.empty() && !data::string_at(labels, {"istio.io/rev"}).empty())) {
    return Membership::injection;
  }
  return data::string_at(labels, {"istio.io/dataplane-mode"}) == "ambient" ? Membership::ambient
                                                                           : Membership::none;
}

}  // namespace kubist::istio
