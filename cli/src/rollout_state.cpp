#include "rollout_state.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using data::int_at;
using data::Json;
using util::cat;
using util::ErrorKind;

RolloutState going_on(std::string text) { return {std::move(text), false}; }

/// Has the controller seen the last change of the spec?
bool is_observed(const Json& object) {
  const resources::ObjectView view(object);
  return view.observed_generation() >= view.generation();
}

util::Result<> check_revision(const resources::ObjectView& view, std::int64_t wanted) {
  const std::string_view running = view.annotation("deployment.kubernetes.io/revision");
  return wanted == 0 || running == std::to_string(wanted)
             ? util::Result<>{}
             : util::fail(ErrorKind::invalid,
                          cat("desired revision (", wanted,
                              ") is different from the running revision (", running, ')'));
}

util::Result<RolloutState> deployment_state(const Json& object, std::int64_t revision) {
  const resources::ObjectView view(object);
  KUBIST_CHECK(check_revision(view, revision));
  if (!is_observed(object)) {
    return going_on("Waiting for deployment spec update to be observed...");
  }
  const auto progressing = view.condition("Progressing");
  if (progressing && progressing->reason == "ProgressDeadlineExceeded") {
    return util::fail(ErrorKind::not_ready,
                      cat("deployment \"", view.name(), "\" exceeded its progress deadline"),
                      cat("'kubist describe deployment/", view.name(), "' tells more."));
  }
  const auto wanted = int_at(object, {"spec", "replicas"});
  const auto updated = int_at(object, {"status", "updatedReplicas"});
  const auto all = int_at(object, {"status", "replicas"});
  const auto available = int_at(object, {"status", "availableReplicas"});
  const std::string waiting =
      cat("Waiting for deployment \"", view.name(), "\" rollout to finish: ");
  if (updated < wanted) {
    return going_on(
        cat(waiting, updated, " out of ", wanted, " new replicas have been updated..."));
  }
  if (all > updated) {
    return going_on(cat(waiting, all - updated, " old replicas are pending termination..."));
  }
  if (available < updated) {
    return going_on(cat(waiting, available, " of ", updated, " updated replicas are available..."));
  }
  return RolloutState{cat("deployment \"", view.name(), "\" successfully rolled out"), true};
}

util::Result<> check_strategy(const Json& object) {
  return data::string_at(object, {"spec", "updateStrategy", "type"}) == "RollingUpdate"
             ? util::Result<>{}
             : util::fail(ErrorKind::invalid,
                          "rollout status is only available for RollingUpdate strategy type");
}

util::Result<RolloutState> daemon_set_state(const Json& object) {
  KUBIST_CHECK(check_strategy(object));
  if (!is_observed(object)) {
    return going_on("Waiting for daemon set spec update to be observed...");
  }
  const auto wanted = int_at(object, {"status", "desiredNumberScheduled"});
  const auto updated = int_at(object, {"status", "updatedNumberScheduled"});
  const auto available = int_at(object, {"status", "numberAvailable"});
  const std::string title = cat("daemon set \"", resources::ObjectView(object).name(), '"');
  const std::string waiting = cat("Waiting for ", title, " rollout to finish: ");
  if (updated < wanted) {
    return going_on(cat(waiting, updated, " out of ", wanted, " new pods have been updated..."));
  }
  if (available < wanted) {
    return going_on(cat(waiting, available, " of ", wanted, " updated pods are available..."));
  }
  return RolloutState{cat(title, " successfully rolled out"), true};
}

util::Result<RolloutState> stateful_set_state(const Json& object) {
  KUBIST_CHECK(check_strategy(object));
  if (resources::ObjectView(object).observed_generation() == 0 || !is_observed(object)) {
    return going_on("Waiting for statefulset spec update to be observed...");
  }
  const auto wanted = int_at(object, {"spec", "replicas"});
  const auto ready = int_at(object, {"status", "readyReplicas"});
  const auto updated = int_at(object, {"status", "updatedReplicas"});
  if (ready < wanted) {
    return going_on(cat("Waiting for ", wanted - ready, " pods to be ready..."));
  }
  if (data::find_path(object, {"spec", "updateStrategy", "rollingUpdate"}) != nullptr) {
    const auto moved =
        wanted - int_at(object, {"spec", "updateStrategy", "rollingUpdate", "partition"});
    return updated < moved ? going_on(cat("Waiting for partitioned roll out to finish: ", updated,
                                          " out of ", moved, " new pods have been updated..."))
                           : RolloutState{cat("partitioned roll out complete: ", updated,
                                              " new pods have been updated..."),
                                          true};
  }
  const auto next = data::string_at(object, {"status", "updateRevision"});
  const auto current = data::string_at(object, {"status", "currentRevision"});
  return next != current ? going_on(cat("waiting for statefulset rolling update to complete ",
                                        updated, " pods at revision ", next, "..."))
                         : RolloutState{cat("statefulset rolling update complete ",
                                            int_at(object, {"status", "currentReplicas"}),
                                            " pods at revision ", current, "..."),
                                        true};
}

}  // namespace

bool rolls_out(const kube::ApiResource& resource) {
  return resource.group == "apps" &&
         (resource.kind == "Deployment" || resource.kind == "StatefulSet" ||
          resource.kind == "DaemonSet");
}

util::Result<RolloutState> rollout_state(const kube::ApiResource& resource, const Json& object,
                                         std::int64_t revision) {
  return resource.kind == "Deployment"  ? deployment_state(object, revision)
         : resource.kind == "DaemonSet" ? daemon_set_state(object)
                                        : stateful_set_state(object);
}

}  // namespace kubist::cli
