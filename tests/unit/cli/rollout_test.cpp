// Where a rollout stands, in kubectl's words.
#include <doctest/doctest.h>

#include <kubist/data/json.hpp>

#include "rollout_state.hpp"

using namespace kubist;
using kube::well_known::daemon_sets;
using kube::well_known::deployments;
using kube::well_known::stateful_sets;

namespace {

struct RolloutCase {
  const kube::ApiResource& resource;
  std::string spec, status;
  std::string text;  ///< of the state, or of the error
  bool done = false;
};

data::Json workload(const RolloutCase& wanted) {
  return {{"metadata",
           {{"name", "x"},
            {"generation", 2},
            {"annotations", {{"deployment.kubernetes.io/revision", "3"}}}}},
          {"spec", data::Json::parse(wanted.spec)},
          {"status", data::Json::parse(wanted.status)}};
}

}  // namespace

TEST_CASE("rollout: each state has kubectl's line") {
  const std::string rolling = R"({"replicas":3,"updateStrategy":{"type":"RollingUpdate"}})";
  const std::string parted =
      R"({"replicas":3,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":1}}})";
  for (const RolloutCase& wanted : std::vector<RolloutCase>{
           {deployments(), R"({"replicas":3})", R"({"observedGeneration":1})",
            "Waiting for deployment spec update to be observed..."},
           {deployments(), R"({"replicas":3})", R"({"observedGeneration":2,"updatedReplicas":1})",
            "Waiting for deployment \"x\" rollout to finish: 1 out of 3 new replicas have been "
            "updated..."},
           {deployments(), R"({"replicas":3})",
            R"({"observedGeneration":2,"updatedReplicas":3,"replicas":4})",
            "Waiting for deployment \"x\" rollout to finish: 1 old replicas are pending "
            "termination..."},
           {deployments(), R"({"replicas":3})",
            R"({"observedGeneration":2,"updatedReplicas":3,"replicas":3,"availableReplicas":2})",
            "Waiting for deployment \"x\" rollout to finish: 2 of 3 updated replicas are "
            "available..."},
           {deployments(), R"({"replicas":3})",
            R"({"observedGeneration":2,"updatedReplicas":3,"replicas":3,"availableReplicas":3})",
            "deployment \"x\" successfully rolled out", true},
           {daemon_sets(), rolling,
            R"({"observedGeneration":2,"desiredNumberScheduled":2,"updatedNumberScheduled":1})",
            "Waiting for daemon set \"x\" rollout to finish: 1 out of 2 new pods have been "
            "updated..."},
           {daemon_sets(), rolling,
            R"({"observedGeneration":2,"desiredNumberScheduled":2,"updatedNumberScheduled":2})",
            "Waiting for daemon set \"x\" rollout to finish: 0 of 2 updated pods are available..."},
           {daemon_sets(), rolling, R"({"observedGeneration":2})",
            "daemon set \"x\" successfully rolled out", true},
           {daemon_sets(), R"({"updateStrategy":{"type":"OnDelete"}})", "{}",
            "rollout status is only available for RollingUpdate strategy type"},
           {stateful_sets(), rolling, R"({"readyReplicas":3})",
            "Waiting for statefulset spec update to be observed..."},
           {stateful_sets(), rolling, R"({"observedGeneration":2,"readyReplicas":1})",
            "Waiting for 2 pods to be ready..."},
           {stateful_sets(), parted,
            R"({"observedGeneration":2,"readyReplicas":3,"updatedReplicas":1})",
            "Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated..."},
           {stateful_sets(), parted,
            R"({"observedGeneration":2,"readyReplicas":3,"updatedReplicas":2})",
            "partitioned roll out complete: 2 new pods have been updated...", true},
           {stateful_sets(), rolling,
            R"({"observedGeneration":2,"readyReplicas":3,"updatedReplicas":2,"updateRevision":"b",)"
            R"("currentRevision":"a"})",
            "waiting for statefulset rolling update to complete 2 pods at revision b..."},
           {stateful_sets(), rolling,
            R"({"observedGeneration":2,"readyReplicas":3,"currentReplicas":3,"updateRevision":"b",)"
            R"("currentRevision":"b"})",
            "statefulset rolling update complete 3 pods at revision b...", true}}) {
    CAPTURE(wanted.text);
    const auto state = cli::rollout_state(wanted.resource, workload(wanted));
    CHECK((state ? state->text : state.error().message) == wanted.text);
    CHECK((state && state->done) == wanted.done);
  }
}

TEST_CASE("rollout: a deadline that passed, and another revision, are errors of their kind") {
  const RolloutCase failed{
      deployments(), R"({"replicas":1})",
      R"({"observedGeneration":2,"conditions":[{"type":"Progressing","status":"False",)"
      R"("reason":"ProgressDeadlineExceeded"}]})",
      ""};
  CHECK(cli::rollout_state(deployments(), workload(failed)).error().kind ==
        util::ErrorKind::not_ready);
  CHECK(cli::rollout_state(deployments(), workload(failed), 7).error().message ==
        "desired revision (7) is different from the running revision (3)");
  CHECK(cli::rolls_out(deployments()));
  CHECK(!cli::rolls_out(kube::well_known::jobs()));
}
