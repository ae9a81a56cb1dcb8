#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include <kubist/istio/evidence.hpp>
#include <kubist/istio/verdict.hpp>
#include <kubist/util/duration.hpp>

/// A sound installation as evidence, for tests to break one thing at a time.
namespace istio_test {

using kubist::data::Json;
using namespace kubist::istio;

inline constexpr const char* k_root =
    "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n";

inline std::chrono::system_clock::time_point moment(const char* text) {
  return *kubist::util::parse_time(text);
}

inline Json selector(const std::string& key, const std::string& op, Json values = nullptr) {
  Json expression{{"key", key}, {"operator", op}};
  if (!values.is_null()) {
    expression["values"] = std::move(values);
  }
  return expression;
}

inline Webhook webhook(const std::string& name, const std::string& service, Json namespaces,
                       Json objects) {
  Webhook result;
  result.name = name;
  result.target = {"", "istio-system", service};
  result.ca_bundle = k_root;
  result.namespace_selector = {{"matchExpressions", std::move(namespaces)}};
  result.object_selector = {{"matchExpressions", std::move(objects)}};
  return result;
}

/// As the chart makes it:
/// manifests/charts/istio-control/istio-discovery/templates/mutatingwebhook.yaml.
inline WebhookConfig injector(const std::string& revision, const std::string& tag = "") {
  const std::string service = with_revision("istiod", revision);
  const std::string selected = tag.empty() ? revision : tag;
  const Json absent_rev = selector("istio.io/rev", "DoesNotExist");
  const Json absent_legacy = selector("istio-injection", "DoesNotExist");
  const Json allowed = selector("sidecar.istio.io/inject", "NotIn", {"false"});
  WebhookConfig config;
  config.name =
      tag.empty() ? with_revision("istio-sidecar-injector", revision) : "istio-revision-tag-" + tag;
  config.revision = revision;
  config.tag = tag;
  config.webhooks = {
      webhook("rev.namespace.sidecar-injector.istio.io", service,
              {selector("istio.io/rev", "In", {selected}), absent_legacy}, {allowed}),
      webhook("rev.object.sidecar-injector.istio.io", service, {absent_rev, absent_legacy},
              {allowed, selector("istio.io/rev", "In", {selected})})};
  if (selected == k_default_revision) {
    config.webhooks.push_back(webhook("namespace.sidecar-injector.istio.io", service,
                                      {selector("istio-injection", "In", {"enabled"})}, {allowed}));
    config.webhooks.push_back(
        webhook("object.sidecar-injector.istio.io", service, {absent_legacy, absent_rev},
                {selector("sidecar.istio.io/inject", "In", {"true"}), absent_rev}));
  }
  return config;
}

inline WebhookConfig validator(const std::string& revision) {
  WebhookConfig config;
  config.name = with_revision("istio-validator", revision) + "-istio-system";
  config.revision = revision;
  config.webhooks = {webhook("rev.validation.istio.io", with_revision("istiod", revision),
                             Json::array(), Json::array())};
  return config;
}

inline ControlPlane plane(const std::string& revision, const std::string& version) {
  ControlPlane result;
  result.ns = "istio-system";
  result.name = with_revision("istiod", revision);
  result.revision = revision;
  result.generation = result.observed_generation = 2;
  result.wanted = result.updated = result.ready = result.available = 1;
  result.progress_reason = "NewReplicaSetAvailable";
  result.available_since = moment("2026-11-22T00:00:00Z");
  result.image_version = version;
  return result;
}

inline NamespaceLabels ns(const std::string& name, Json labels) {
  return {name, std::move(labels)};
}

inline void add_revision(Evidence& evidence, const std::string& revision,
                         const std::string& version) {
  evidence.control_planes->push_back(plane(revision, version));
  evidence.injectors->push_back(injector(revision));
  evidence.validators->push_back(validator(revision));
  ControlService service;
  service.ns = "istio-system";
  service.name = with_revision("istiod", revision);
  service.revision = revision;
  service.endpoints = service.ready_endpoints = 1;
  evidence.services->push_back(service);
  IstiodPod pod;
  pod.ns = "istio-system";
  pod.name = service.name + "-1";
  pod.revision = revision;
  pod.ready = true;
  pod.image_version = version;
  evidence.istiod_pods->push_back(pod);
  RevisionConfig config;
  config.ns = "istio-system";
  config.revision = revision;
  config.root_cert = k_root;
  evidence.configs->push_back(config);
  for (const char* base : {"istiod-clusterrole", "istiod-gateway-controller"}) {
    evidence.cluster_roles->insert(with_revision(base, revision) + "-istio-system");
    evidence.cluster_role_bindings->insert(with_revision(base, revision) + "-istio-system");
  }
  Probe probe;
  probe.outcome = Probe::Outcome::works;
  probe.ns = "istio-system";
  probe.revision = revision;
  evidence.probes.push_back(probe);
}

inline std::vector<Crd> all_crds() {
  std::vector<Crd> crds;
  for (const char* name :
       {"wasmplugins.extensions.istio.io", "trafficextensions.extensions.istio.io",
        "destinationrules.networking.istio.io", "envoyfilters.networking.istio.io",
        "gateways.networking.istio.io", "proxyconfigs.networking.istio.io",
        "serviceentries.networking.istio.io", "sidecars.networking.istio.io",
        "virtualservices.networking.istio.io", "workloadentries.networking.istio.io",
        "workloadgroups.networking.istio.io", "authorizationpolicies.security.istio.io",
        "peerauthentications.security.istio.io", "requestauthentications.security.istio.io",
        "telemetries.telemetry.istio.io"}) {
    Crd crd;
    crd.name = name;
    crd.created = moment("2026-11-01T00:00:00Z");
    crds.push_back(crd);
  }
  return crds;
}

/// A cluster that has nothing of Istio.
inline Evidence empty_cluster() {
  Evidence evidence;
  evidence.now = moment("2026-11-22T01:00:00Z");
  evidence.kubernetes_minor = 34;
  evidence.kubernetes_version = "v1.34.4";
  evidence.namespaces->push_back(ns("default", Json::object()));
  return evidence;
}

/// Istio 1.30.3 on Kubernetes 1.34, one namespace with injection and one proxy in it.
inline Evidence healthy_cluster() {
  Evidence evidence = empty_cluster();
  evidence.api_served = true;
  evidence.crds = all_crds();
  add_revision(evidence, "default", "1.30.3");
  evidence.namespaces->push_back(ns("shop", {{"istio-injection", "enabled"}}));
  evidence.proxies->proxies.push_back({"shop", "web-1", "default", "1.30.3"});
  return evidence;
}

inline bool has(const Report& report, const std::string& code) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const Finding& finding) { return finding.code == code; });
}

inline std::string codes(const Report& report) {
  std::string all;
  for (const Finding& finding : report.findings) {
    all += std::string(to_string(finding.verdict)) + ' ' + finding.code + '\n';
  }
  return all;
}

}  // namespace istio_test
