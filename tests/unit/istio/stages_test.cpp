#include <doctest/doctest.h>

#include <kubist/istio/stages.hpp>

#include "evidence_support.hpp"

using namespace istio_test;

namespace {

Json object(const std::string& api, const std::string& kind, const std::string& name,
            Json labels = Json::object(), Json spec = Json::object()) {
  return {{"apiVersion", api},
          {"kind", kind},
          {"metadata", {{"name", name}, {"labels", std::move(labels)}}},
          {"spec", std::move(spec)}};
}

Bundle bundle_of(const std::vector<Json>& objects) {
  Bundle bundle;
  bundle.revision = "default";
  bundle.ns = "istio-system";
  for (const Json& each : objects) {
    kubist::resources::Manifest manifest;
    manifest.object = each;
    bundle.manifests.push_back(std::move(manifest));
  }
  return bundle;
}

std::string text_of(const std::vector<StagedObjects>& stages) {
  std::string text;
  for (const StagedObjects& stage : stages) {
    text += std::string(to_string(stage.stage)) + ':';
    for (const auto& manifest : stage.objects) {
      text += ' ' + manifest.object["metadata"]["name"].get<std::string>();
    }
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE(
    "stages: webhooks come after istiod, gateways after webhooks, ztunnel after the CNI plugin") {
  const Json webhooks{
      {"apiVersion", "admissionregistration.k8s.io/v1"},
      {"kind", "MutatingWebhookConfiguration"},
      {"metadata", {{"name", "injector"}}},
      {"webhooks",
       {{{"name", "a"}, {"failurePolicy", "Fail"}, {"clientConfig", {{"caBundle", "x"}}}}}}};
  const auto selects = [](const char* key, const char* value) {
    return Json{{"selector", {{"matchLabels", {{key, value}}}}}};
  };
  const Bundle bundle = bundle_of(
      {object("apps/v1", "Deployment", "ingress", {{"app", "istio-ingressgateway"}}), webhooks,
       object("networking.istio.io/v1", "Gateway", "entry"),
       object("apps/v1", "DaemonSet", "ztunnel", Json::object(), selects("app", "ztunnel")),
       object("apps/v1", "DaemonSet", "cni", Json::object(), selects("k8s-app", "istio-cni-node")),
       object("apps/v1", "Deployment", "istiod", {{"app", "istiod"}}),
       object("policy/v1", "PodDisruptionBudget", "istiod-budget", {{"istio", "pilot"}}),
       object("autoscaling/v2", "HorizontalPodAutoscaler", "ingress-scaler"),
       object("v1", "ConfigMap", "istio"),
       object("apiextensions.k8s.io/v1", "CustomResourceDefinition",
              "gateways.networking.istio.io")});
  CHECK(text_of(stages_of(bundle)) ==
        "base: istio-system istio gateways.networking.istio.io\n"
        "control plane: istiod istiod-budget\n"
        "webhooks: injector\n"
        "CNI plugin: cni\n"
        "ztunnel: ztunnel\n"
        "gateways: ingress entry ingress-scaler\n");

  // istiod's fields are left to istiod.
  CHECK(stages_of(bundle)[2].objects[0].object["webhooks"][0] ==
        Json{{"name", "a"}, {"clientConfig", Json::object()}});
}

TEST_CASE("stages: a namespace that the bundle has is not added again") {
  const Bundle bundle = bundle_of({object("v1", "Namespace", "istio-system", {{"a", "b"}})});
  const auto stages = stages_of(bundle);
  REQUIRE(stages.size() == 1);
  REQUIRE(stages[0].objects.size() == 1);
  CHECK(stages[0].objects[0].object["metadata"]["labels"]["a"] == "b");
}
