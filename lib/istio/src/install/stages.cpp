#include <algorithm>
#include <array>

#include <kubist/istio/read.hpp>
#include <kubist/istio/stages.hpp>
#include <kubist/util/words.hpp>

namespace kubist::istio {

using data::Json;
using resources::Manifest;
using resources::ObjectView;

namespace {

constexpr std::array k_install_order{Stage::base,  Stage::control_plane, Stage::webhooks,
                                     Stage::nodes, Stage::ztunnel,       Stage::gateways};

bool is_webhook_configuration(std::string_view kind) {
  return kind == "MutatingWebhookConfiguration" || kind == "ValidatingWebhookConfiguration";
}

bool is_workload(const ObjectView& view) {
  const std::string_view kind = view.kind();
  return kind == "Deployment" || kind == "DaemonSet" || kind == "HorizontalPodAutoscaler" ||
         kind == "PodDisruptionBudget";
}

// What belongs to istiod carries one of these; the label app is missing from some versions'
// budgets.
bool of_istiod(const ObjectView& view) {
  return view.label("app") == "istiod" || view.label("istio") == "pilot" ||
         view.label("app.kubernetes.io/name") == "istiod" || view.name().starts_with("istiod");
}

Manifest namespace_named(const std::string& name) {
  Manifest manifest;
  manifest.object = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
  return manifest;
}

}  // namespace

std::string_view to_string(Stage stage) {
  static constexpr util::Word<Stage> k_words[] = {
      {Stage::base, "base"},         {Stage::control_plane, "control plane"},
      {Stage::webhooks, "webhooks"}, {Stage::nodes, "CNI plugin"},
      {Stage::ztunnel, "ztunnel"},   {Stage::gateways, "gateways"}};
  return util::word_of(k_words, stage);
}

Stage stage_of(const Json& object) {
  const ObjectView view(object);
  if (is_webhook_configuration(view.kind())) {
    return Stage::webhooks;
  }
  if (view.group().ends_with(".istio.io")) {
    return Stage::gateways;
  }
  if (!is_workload(view)) {
    return Stage::base;
  }
  if (const auto agent = read_node_agent(object)) {
    return agent->kind == NodeAgent::Kind::cni ? Stage::nodes : Stage::ztunnel;
  }
  return of_istiod(view) ? Stage::control_plane : Stage::gateways;
}

std::vector<WebhookConfig> live_webhooks(const Evidence& evidence) {
  std::vector<WebhookConfig> all = items_of(evidence.injectors);
  const auto& validators = items_of(evidence.validators);
  all.insert(all.end(), validators.begin(), validators.end());
  return all;
}

std::vector<StagedObjects> stages_of(const Bundle& bundle, const std::vector<WebhookConfig>& live) {
  std::vector<StagedObjects> stages;
  for (const Stage stage : k_install_order) {
    StagedObjects objects;
    objects.stage = stage;
    for (const Manifest& manifest : bundle.manifests) {
      if (stage_of(manifest.object) != stage) {
        continue;
      }
      objects.objects.push_back(manifest);
      const auto config = std::find_if(live.begin(), live.end(), [&](const WebhookConfig& each) {
        return each.name == ObjectView(manifest.object).name();
      });
      Json& object = objects.objects.back().object;
      object = without_istiod_fields(std::move(object), config == live.end() ? nullptr : &*config,
                                     bundle.foreign_ca);
    }
    const bool has_namespace =
        std::any_of(objects.objects.begin(), objects.objects.end(), [&](const Manifest& manifest) {
          return ObjectView(manifest.object).kind() == "Namespace" &&
                 ObjectView(manifest.object).name() == bundle.ns;
        });
    if (stage == Stage::base && !has_namespace) {
      objects.objects.insert(objects.objects.begin(), namespace_named(bundle.ns));
    }
    if (!objects.objects.empty()) {
      stages.push_back(std::move(objects));
    }
  }
  return stages;
}

}  // namespace kubist::istio
