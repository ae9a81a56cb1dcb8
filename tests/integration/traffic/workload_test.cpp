// Policies that judge the workloads of versions: real Deployments, and figures of their pods where
// metrics.k8s.io is; here they are a CRD's, since nothing measures pods on this cluster.
#include "load.hpp"

using namespace traffic_test;

namespace {

const char* const k_pod_metrics = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: pods.metrics.k8s.io
  annotations: {api-approved.kubernetes.io: "unapproved, for a test"}
spec:
  group: metrics.k8s.io
  scope: Namespaced
  names: {kind: PodMetrics, plural: pods, singular: podmetrics, listKind: PodMetricsList}
  versions:
    - name: v1beta1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

/// metrics.k8s.io, as long as this is.
class PodMetrics {
 public:
  PodMetrics() {
    put("home", {yaml(k_pod_metrics)});
    must(kubectl("home", {"wait", "--for=condition=established", "crd/pods.metrics.k8s.io"}));
  }
  ~PodMetrics() { kubectl("home", {"delete", "crd", "--ignore-not-found", "pods.metrics.k8s.io"}); }
  void use(const std::string& ns, const std::string& version, const std::string& cpu) {
    const Json figures{
        {"apiVersion", "metrics.k8s.io/v1beta1"},
        {"kind", "PodMetrics"},
        {"metadata",
         {{"name", "web-" + version},
          {"namespace", ns},
          {"labels", {{"app", "web"}, {"version", version}}}}},
        {"containers",
         Json::array({{{"name", "main"}, {"usage", {{"cpu", cpu}, {"memory", "64Mi"}}}}})}};
    REQUIRE(eventually(
        [&] {
          return kubectl("home", {"apply", "--server-side", "-f", "-"}, figures.dump()).exit_code ==
                 0;
        },
        30));
  }
};

/// Pods beside the one that answers, as a user's Deployment; where they never run they are
/// unavailable.
Json deployment(const std::string& ns, const std::string& version, int replicas) {
  const Json labels{{"app", "web"}, {"version", version}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", "more-" + version}, {"namespace", ns}}},
          {"spec",
           {{"replicas", replicas},
            {"selector", {{"matchLabels", labels}}},
            {"template",
             {{"metadata", {{"labels", labels}}},
              {"spec",
               {{"nodeSelector", {{"kubist.io/test", "nowhere"}}},
                {"automountServiceAccountToken", false},
                {"containers",
                 Json::array({{{"name", "main"}, {"image", "localhost/busybox:1"}}})}}}}}}}};
}

/// The status of the release after it ended.
Json outcome(Stage& stage, const std::string& name, const std::string& policy,
             const std::string& hold_limit = "30s") {
  stage.apply("CanaryRelease", name,
              cat("{destination: web, stable: v1, canary: v2, routes: [web], interval: 2s, "
                  "weights: [50], bake: 1s, holdLimit: ",
                  hold_limit, ", policies: [", policy, "]}"));
  run_kubist(stage.world().as_user(
      {"reconcile", "CanaryRelease/" + name, "-n", stage.project(), "--timeout=100s"}));
  const auto release = stage.node("canaryreleases", name);
  REQUIRE(release);
  must(kubectl(
      "home", {"delete", "canaryreleases.kubist.io", name, "-n", stage.project(), "--wait=false"}));
  must(stage.reconcile());
  return (*release)["status"];
}

void check_ended(const Json& status, const std::string& state, const std::string& reason,
                 const std::string& message) {
  const std::string said = status.dump();
  CHECK_MESSAGE(data::string_at(status, {"state"}) == state, said);
  CHECK_MESSAGE(data::string_at(status, {"reason"}) == reason, said);
  CHECK_MESSAGE(said.find(message) != std::string::npos, said);
}

}  // namespace

TEST_CASE("workload: a version is judged by its Deployments, and by what its pods use") {
  Stage stage("workload");
  set_up(stage, 0);
  put("home", {deployment(stage.ns(), "v1", 0), deployment(stage.ns(), "v2", 2)});
  REQUIRE(eventually(
      [&] {
        const auto found = stage.live("deployments.apps", "more-v2");
        return found && data::int_at(*found, {"status", "unavailableReplicas"}) == 2;
      },
      60));
  Load load(stage);
  check_ended(outcome(stage, "missing", R"({name: Expression, parameters: {expression:
                      "canary.replicas == 2 && canary.unavailableReplicas == 0"}})"),
              "RolledBack", "ThresholdFailed", "canary.unavailableReplicas = 2");
  check_ended(outcome(stage, "vamps", "{name: Metric, parameters: {metric: availability}}"),
              "RolledBack", "ThresholdFailed", "metric 0 is below stable's 1");
  const std::string lean = R"({name: Metric, parameters: {metrics: [
      {name: lean, value: canary.cpu / stable.cpu, thresholdRange: {max: 1.5}}]}})";
  check_ended(outcome(stage, "nobody", lean, "5s"), "RolledBack", "NoData",
              "is a metrics server installed?");

  // Whatever the policies say, more requests wait for the pods that the canary asks for.
  const std::string timed = "{name: Timed, parameters: {step: 1s}}";
  check_ended(outcome(stage, "short", timed, "3s"), "RolledBack", "TargetNotReady",
              cat("Deployment ", stage.ns(), "/more-v2 has 0 of 2 pods ready"));
  put("home", {deployment(stage.ns(), "v2", 0)});
  CHECK(outcome(stage, "complete", timed)["state"] == "Succeeded");

  PodMetrics metrics;
  metrics.use(stage.ns(), "v1", "100m");
  metrics.use(stage.ns(), "v2", "120m");
  CHECK(outcome(stage, "lean", lean)["state"] == "Succeeded");
  metrics.use(stage.ns(), "v2", "200m");
  check_ended(outcome(stage, "hungry", lean), "RolledBack", "ThresholdFailed",
              "lean 2 is above 1.5");
  check_ended(
      outcome(stage, "steps", R"({name: Steps, parameters: {steps: [{setWeight: 50}, {analysis:
              {metrics: [{name: lean, successCondition: canary.memory <= stable.memory && canary.cpu < 0.15}]}}]}})"),
      "RolledBack", "AnalysisFailed", "lean");
}
