#include "argo.hpp"

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::convert {

using util::cat;

namespace {

/// What a Rollout has of a Deployment.
void add_deployment_fields(const Fields& spec, Json& deployment) {
  for (const char* field : {"replicas", "selector", "template", "minReadySeconds",
                            "revisionHistoryLimit", "progressDeadlineSeconds"}) {
    if (spec.has(field)) {
      data::set_path(deployment, {"spec", field}, spec.any(field));
    }
  }
  const Fields canary = spec.at("strategy").at("canary");
  for (const char* field : {"maxSurge", "maxUnavailable"}) {
    if (canary.has(field)) {
      data::set_path(deployment, {"spec", "strategy", "rollingUpdate", field}, canary.any(field));
    }
  }
}

void add_argo_blue_green(const Fields& given, Analyses& analyses, Release& release) {
  Json parameters = Json::object();
  for (const char* field : {"autoPromotionSeconds", "scaleDownDelaySeconds"}) {
    if (const auto seconds = given.number(field)) {
      parameters[field] = *seconds;
    }
  }
  if (given.has("autoPromotionEnabled")) {
    parameters["autoPromotionEnabled"] = given.flag("autoPromotionEnabled");
  }
  if (given.has("prePromotionAnalysis")) {
    given.lost("prePromotionAnalysis",
               "a person approves the switch instead; or use Steps with setWeight: 0, "
               "setHeaderRoute or setMirrorRoute, and an analysis");
    parameters["autoPromotionEnabled"] = false;
  }
  add_policy(release, "BlueGreen", std::move(parameters));
  const Fields analysis = given.at("postPromotionAnalysis");
  const auto judges = analysis ? analyses.judges(analysis) : Analyses::Judges();
  for (const Json& judge : judges.policies) {
    add_policy(release, "Metric", judge);
  }
  if (judges.lost || !judges.rest.is_null()) {
    given.note("postPromotionAnalysis",
               "some of its metrics are no query with bounds: write a custom policy for them");
  }
}

void read_blue_green(const Fields& given, Analyses& analyses, Inputs& inputs, Release& release) {
  const std::string active = given.text("activeService");
  read_services(given, {"activeService", "previewService"}, inputs, release);
  Route route{release.destination, {active.empty() ? release.destination : active}, {}};
  route.rules.push_back({{"weights", Json::array({stable_share(release)})}});
  release.routes.push_back(std::move(route));
  if (given.has("previewService")) {
    given.note("previewService",
               "give the TrafficRoute a rule with a condition for the preview, "
               "before the other one");
  }
  add_argo_blue_green(given, analyses, release);
}

/// Behind a mesh only Prometheus counts requests.
void check_rollout_counters(const Fields& strategy, Release& release) {
  if (release.spec.contains("metrics")) {
    release.spec["metrics"]["provider"] = is_mesh_only(release) ? "Prometheus" : "Gateway";
  }
  const bool judged = data::to_json(release.policies).find("\"metrics\"") != std::string::npos;
  if (judged && is_mesh_only(release) && !release.spec.contains("metrics")) {
    strategy.note(strategy.has("canary") ? "canary" : "blueGreen",
                  "no gateway counts these requests: say in spec.metrics of the "
                  "CanaryRelease where Prometheus is");
  }
}

}  // namespace

void read_workload(const Fields& spec, const Json& rollout, Inputs& inputs, Release& release) {
  Json deployment{{"apiVersion", "apps/v1"},
                  {"kind", "Deployment"},
                  {"metadata", data::object_at(rollout, {"metadata"})}};
  Source* workload = nullptr;
  if (const Fields reference = spec.at("workloadRef")) {
    const std::string name = reference.text("name");
    reference.text("apiVersion");
    reference.text("kind");
    Source* found = inputs.use("apps", "Deployment", release.foreign_ns, name);
    if (found == nullptr) {
      reference.lost("name", cat("Deployment/", name,
                                 " is not in the input: add its file, or make "
                                 "a Deployment for each version yourself"));
      return;
    }
    found->take("/spec");
    deployment = found->object();
    workload = found;
  }
  add_deployment_fields(spec, deployment);
  release.workload = std::move(deployment);
  if (workload != nullptr) {
    release.drop_no_replicas(*workload);
  }
  const Json& labels = data::object_at(*release.workload, {"spec", "selector", "matchLabels"});
  if (!labels.empty()) {
    release.selector = labels;
  }
}

void read_argo(Source& rollout, Inputs& inputs, Release& release) {
  const Fields spec = rollout.spec();
  read_workload(spec, rollout.object(), inputs, release);
  const auto deadline = spec.number("progressDeadlineSeconds");
  if (spec.flag("paused")) {
    release.spec["suspend"] = true;
  }
  const Fields strategy = spec.at("strategy");
  Analyses analyses(rollout.object(), inputs, release);
  if (const Fields given = strategy.at("blueGreen")) {
    read_blue_green(given, analyses, inputs, release);
  } else {
    const Fields canary = strategy.at("canary");
    read_services(canary, {"stableService", "canaryService"}, inputs, release);
    read_routing(canary, inputs, release);
    read_steps(canary, analyses, deadline, release);
  }
  check_rollout_counters(strategy, release);
}

}  // namespace kubist::convert
