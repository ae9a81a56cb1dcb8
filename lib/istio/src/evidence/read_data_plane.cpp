#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/istio/versions.hpp>

#include "evidence/read_support.hpp"

namespace kubist::istio {

using data::Json;
using resources::ObjectView;

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
  proxy.revision = view.annotation(k_revision_label);
  if (proxy.revision.empty()) {
    proxy.revision = revision_of(view);
  }
  return proxy;
}

bool cni_tainted(const Json& node) {
  const Json& taints = data::array_at(node, {"spec", "taints"});
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
    // Left out on request; ztunnel takes the rest.
    if (view.label(k_dataplane_mode_label) != "none" &&
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
  const std::string_view injection = data::string_at(labels, {k_injection_label});
  if (injection == "enabled" ||
      (injection.empty() && !data::string_at(labels, {k_revision_label}).empty())) {
    return Membership::injection;
  }
  return data::string_at(labels, {k_dataplane_mode_label}) == "ambient" ? Membership::ambient
                                                                        : Membership::none;
}

}  // namespace kubist::istio
