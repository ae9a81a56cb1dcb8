#include "advice.hpp"

#include <array>
#include <string>
#include <utility>

namespace kubist::convert {

namespace {

using FieldAdvice = std::pair<std::string_view, std::string_view>;

constexpr std::string_view k_scale =
    "kubist scales nothing: set the replicas of the Deployment, or give it an autoscaler";
constexpr std::string_view k_borrow =
    "a TrafficRoute has no such field: let it borrow a VirtualService that has it (object.borrow)";
constexpr std::string_view k_labels = "kubist labels what it makes itself";

/// Fields without a counterpart, without the indices of lists.
constexpr std::array k_rows{
    // Flagger
    FieldAdvice{"spec.autoscalerRef", "kubist scales nothing: give each Deployment an autoscaler"},
    FieldAdvice{"spec.ingressRef", "kubist routes by Istio or by the Gateway API"},
    FieldAdvice{"spec.routeRef", "kubist routes by Istio or by the Gateway API"},
    FieldAdvice{"spec.upstreamRef", "kubist routes by Istio or by the Gateway API"},
    FieldAdvice{"spec.canaryAnalysis", "it is an older name: write analysis, and convert again"},
    FieldAdvice{"spec.service.corsPolicy", k_borrow},
    FieldAdvice{"spec.service.delegation", k_borrow},
    FieldAdvice{"spec.service.rewrite.authority", k_borrow},
    FieldAdvice{"spec.service.backendTimeout", k_borrow},
    FieldAdvice{"spec.service.mirror", "a route has one mirror, to a Service of its namespace"},
    FieldAdvice{"spec.service.portDiscovery", "write each port into the Destination"},
    FieldAdvice{"spec.service.headless", "a Destination's Service has an address"},
    FieldAdvice{"spec.service.meshName", "kubist routes by Istio or by the Gateway API"},
    FieldAdvice{"spec.service.backends", "kubist routes by Istio or by the Gateway API"},
    FieldAdvice{"spec.service.apex", k_labels},
    FieldAdvice{"spec.service.primary", k_labels},
    FieldAdvice{"spec.service.canary", k_labels},
    FieldAdvice{"spec.service.unmanagedMetadata",
                "kubist keeps the labels and annotations of others"},
    FieldAdvice{"spec.analysis.stepWeightPromotion",
                "after the last weight the canary has all: add weights above, such as 75"},
    FieldAdvice{"spec.analysis.sessionAffinity", "a release sets cookieName and maxAge only"},
    FieldAdvice{"spec.analysis.mirrorWeight", "it needs mirror: true"},
    FieldAdvice{"spec.analysis.metrics.threshold", "it is an older form: write a thresholdRange"},
    FieldAdvice{"spec.analysis.metrics.templateVariables", "the query does not name it"},
    FieldAdvice{"spec.analysis.webhooks.muteAlert", "no alert has the answers of webhooks"},
    FieldAdvice{"spec.analysis.webhooks.disableTLS", "TLS is always checked"},
    FieldAdvice{
        "spec.provider.secretRef",
        "write prometheus.authorizationSecretRef of the CanaryRelease: a Secret with the header"},
    FieldAdvice{"spec.provider.insecureSkipVerify", "TLS is always checked"},
    // Argo Rollouts
    FieldAdvice{"spec.workloadRef.scaleDown",
                "kubist scales nothing: delete or scale the old Deployment"},
    FieldAdvice{"spec.progressDeadlineAbort",
                "a release that comes to its holdLimit is rolled back"},
    FieldAdvice{"spec.restartAt", "use kubist rollout restart"},
    FieldAdvice{"spec.rollbackWindow", "each version goes through all steps"},
    FieldAdvice{"spec.analysis.successfulRunHistoryLimit",
                "kubist canary history keeps 50 changes"},
    FieldAdvice{"spec.analysis.unsuccessfulRunHistoryLimit",
                "kubist canary history keeps 50 changes"},
    FieldAdvice{"spec.strategy.canary.trafficRouting.maxTrafficWeight", "weights are percents"},
    FieldAdvice{
        "spec.strategy.canary.trafficRouting",
        "kubist makes a route by Istio or by the Gateway API: write hosts and gateways into the "
        "TrafficRoute"},
    FieldAdvice{"spec.strategy.canary.pingPong", "a release has a stable version and a canary"},
    FieldAdvice{"spec.strategy.canary.dynamicStableScale", k_scale},
    FieldAdvice{"spec.strategy.canary.scaleDownDelaySeconds", k_scale},
    FieldAdvice{"spec.strategy.canary.scaleDownDelayRevisionLimit", k_scale},
    FieldAdvice{"spec.strategy.canary.abortScaleDownDelaySeconds", k_scale},
    FieldAdvice{"spec.strategy.canary.minPodsPerReplicaSet", k_scale},
    FieldAdvice{"spec.strategy.canary.antiAffinity", "write podAntiAffinity into the pod template"},
    FieldAdvice{"spec.strategy.canary.canaryMetadata",
                "write them into the Deployment of the version"},
    FieldAdvice{"spec.strategy.canary.stableMetadata",
                "write them into the Deployment of the version"},
    FieldAdvice{"spec.strategy.canary.analysis.startingStep",
                "the analysis runs from the first weight on"},
    FieldAdvice{"spec.strategy.canary.steps.setCanaryScale", k_scale},
    FieldAdvice{"spec.strategy.canary.steps.replicaProgressThreshold",
                "each weight after the first needs all pods of the canary, ready"},
    FieldAdvice{"spec.strategy.blueGreen.previewReplicaCount", k_scale},
    FieldAdvice{"spec.strategy.blueGreen.scaleDownDelayRevisionLimit", k_scale},
    FieldAdvice{"spec.strategy.blueGreen.abortScaleDownDelaySeconds", k_scale},
    FieldAdvice{"spec.strategy.blueGreen.maxUnavailable", k_scale},
    FieldAdvice{"spec.strategy.blueGreen.antiAffinity",
                "write podAntiAffinity into the pod template"},
    FieldAdvice{"spec.strategy.blueGreen.activeMetadata",
                "write them into the Deployment of the version"},
    FieldAdvice{"spec.strategy.blueGreen.previewMetadata",
                "write them into the Deployment of the version"},
    FieldAdvice{"spec.strategy.canary.steps.analysis.measurementRetention",
                "kubist canary history keeps 50 changes"},
    FieldAdvice{"spec.strategy.canary.analysis.measurementRetention",
                "kubist canary history keeps 50 changes"},
    FieldAdvice{"spec.measurementRetention", "kubist canary history keeps 50 changes"},
    FieldAdvice{"spec.args.valueFrom", "a release does not read Secrets: write the value"},
    FieldAdvice{"spec.metrics.consecutiveErrorLimit", "a measurement that fails is inconclusive"},
    FieldAdvice{"spec.metrics.interval", "a window is as long as the release's interval"},
    FieldAdvice{
        "spec.metrics.provider.prometheus.authentication",
        "write prometheus.authorizationSecretRef of the CanaryRelease: a Secret with the header"},
    FieldAdvice{"spec.metrics.provider.prometheus.insecure", "TLS is always checked"},
    FieldAdvice{"spec.metrics.provider.prometheus.rangeQuery",
                "a query gives the value of one time"},
    FieldAdvice{"spec.metrics.provider.web", "it is asked by GET, without credentials and headers"},
    FieldAdvice{"spec.metrics.provider.job",
                "a job of a release has one container, and few of its fields"},
    FieldAdvice{"spec.exportTo",
                "spec.allow.exportTo of the Project says which namespaces follow routes"},
    FieldAdvice{"spec.tls", "a TrafficRoute routes HTTP"},
    FieldAdvice{"spec.tcp", "a TrafficRoute routes HTTP"},
    FieldAdvice{"spec.http", k_borrow},
    FieldAdvice{"spec.subsets", "give it to the subsets of the Destination"},
};

std::string without_indices(std::string_view field) {
  std::string plain;
  bool inside = false;
  for (const char c : field) {
    inside = c == '[' || (inside && c != ']');
    if (!inside && c != ']') {
      plain += c;
    }
  }
  return plain;
}

}  // namespace

std::string_view advice_of(std::string_view field) {
  const std::string plain = without_indices(field);
  std::string_view best = "kubist has no counterpart of it", by;
  for (const auto& [name, why] : k_rows) {
    const bool above =
        plain.starts_with(name) && (plain.size() == name.size() || plain[name.size()] == '.');
    if (above && name.size() > by.size()) {
      best = why;
      by = name;
    }
  }
  return best;
}

}  // namespace kubist::convert
