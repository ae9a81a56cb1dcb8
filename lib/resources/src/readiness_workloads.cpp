#include <limits>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "readiness_rules.hpp"

namespace kubist::resources {

using data::Json;
using util::cat;
using Time = std::chrono::system_clock::time_point;

namespace {

/// A counter of status; 0 where the controller has not written it yet.
std::int64_t counter(const Json& json, std::string_view name) {
  return data::int_at(json, {"status", name}, 0);
}

std::string of(std::string_view what, std::int64_t have, std::int64_t want) {
  return cat(what, ": ", have, '/', want);
}

struct DeploymentConditions {
  bool deadline_exceeded = false;
  bool progressed = false;
  bool available = false;
};

DeploymentConditions read_conditions(const ObjectView& object) {
  DeploymentConditions found;
  for (const ConditionView& condition : object.conditions()) {
    if (condition.type == "Progressing") {
      found.deadline_exceeded |= condition.reason == "ProgressDeadlineExceeded";
      found.progressed |=
          condition.status == "True" && condition.reason == "NewReplicaSetAvailable";
    } else if (condition.type == "Available") {
      found.available |= condition.status == "True";
    }
  }
  return found;
}

}  // namespace

Readiness deployment_readiness(const ObjectView& object, const Json& json, Time /*now*/) {
  // Without a deadline the controller never sets Progressing, so it cannot be asked for.
  constexpr std::int64_t k_no_deadline = std::numeric_limits<std::int32_t>::max();
  DeploymentConditions conditions = read_conditions(object);
  conditions.progressed |=
      data::int_at(json, {"spec", "progressDeadlineSeconds"}, k_no_deadline) == k_no_deadline;
  if (conditions.deadline_exceeded) {
    return {Status::failed, "ProgressDeadlineExceeded", "Progress deadline exceeded"};
  }
  std::int64_t wanted = data::int_at(json, {"spec", "replicas"}, 1);
  std::int64_t replicas = counter(json, "replicas");
  std::int64_t updated = counter(json, "updatedReplicas");
  std::int64_t available = counter(json, "availableReplicas");
  std::int64_t ready = counter(json, "readyReplicas");
  if (wanted > replicas) {
    return in_progress("LessReplicas", of("Replicas", replicas, wanted));
  }
  if (wanted > updated) {
    return in_progress("LessUpdated", of("Updated", updated, wanted));
  }
  if (replicas > wanted) {
    return in_progress("ExtraPods", cat("Pending termination: ", replicas - wanted));
  }
  if (updated > available) {
    return in_progress("LessAvailable", of("Available", available, updated));
  }
  if (wanted > ready) {
    return in_progress("LessReady", of("Ready", ready, wanted));
  }
  if (!conditions.progressed) {
    return in_progress("ReplicaSetNotAvailable", "ReplicaSet not Available");
  }
  if (!conditions.available) {
    return in_progress("DeploymentNotAvailable", "Deployment not Available");
  }
  return current(cat("Deployment is available. Replicas: ", replicas));
}

Readiness stateful_set_readiness(const ObjectView& /*object*/, const Json& json, Time /*now*/) {
  if (data::string_at(json, {"spec", "updateStrategy", "type"}) == "OnDelete") {
    return current("StatefulSet is using the ondelete update strategy");
  }
  std::int64_t wanted = data::int_at(json, {"spec", "replicas"}, 1);
  std::int64_t ready = counter(json, "readyReplicas");
  std::int64_t replicas = counter(json, "replicas");
  std::int64_t updated = counter(json, "updatedReplicas");
  std::int64_t partition =
      data::int_at(json, {"spec", "updateStrategy", "rollingUpdate", "partition"}, -1);
  if (wanted > replicas) {
    return in_progress("LessReplicas", of("Replicas", replicas, wanted));
  }
  if (wanted > ready) {
    return in_progress("LessReady", of("Ready", ready, wanted));
  }
  if (replicas > wanted) {
    return in_progress("ExtraPods", cat("Pending termination: ", replicas - wanted));
  }
  if (partition != -1) {
    if (updated < wanted - partition) {
      return in_progress("PartitionRollout", of("updated", updated, wanted - partition));
    }
    return current(cat("Partition rollout complete. updated: ", updated));
  }
  if (std::int64_t have = counter(json, "currentReplicas"); wanted > have) {
    return in_progress("LessCurrent", of("current", have, wanted));
  }
  if (data::string_at(json, {"status", "currentRevision"}) !=
      data::string_at(json, {"status", "updateRevision"})) {
    return in_progress("RevisionMismatch", "Waiting for updated revision to match current");
  }
  return current(cat("All replicas scheduled as expected. Replicas: ", replicas));
}

Readiness daemon_set_readiness(const ObjectView& object, const Json& json, Time /*now*/) {
  // Its controller always writes both generations: without them it has not acted yet.
  if (data::find_path(json, {"metadata", "generation"}) == nullptr) {
    return in_progress("NoGeneration", cat(object.kind(), " metadata.generation not found"));
  }
  if (data::find_path(json, {"status", "observedGeneration"}) == nullptr) {
    return in_progress("NoObservedGeneration",
                       cat(object.kind(), " status.observedGeneration not found"));
  }
  std::int64_t wanted = data::int_at(json, {"status", "desiredNumberScheduled"}, -1);
  if (wanted == -1) {
    return in_progress("NoDesiredNumber", "Missing .status.desiredNumberScheduled");
  }
  struct Counter {
    std::string_view field;
    std::string_view reason;
    std::string_view label;
  };
  constexpr Counter k_counters[] = {{"currentNumberScheduled", "LessCurrent", "Current"},
                                    {"updatedNumberScheduled", "LessUpdated", "Updated"},
                                    {"numberAvailable", "LessAvailable", "Available"},
                                    {"numberReady", "LessReady", "Ready"}};
  for (const Counter& each : k_counters) {
    if (std::int64_t have = counter(json, each.field); wanted > have) {
      return in_progress(each.reason, of(each.label, have, wanted));
    }
  }
  return current(cat("All replicas scheduled as expected. Replicas: ", wanted));
}

Readiness replica_set_readiness(const ObjectView& object, const Json& json, Time /*now*/) {
  if (auto failure = object.condition("ReplicaFailure"); failure && failure->status == "True") {
    return in_progress("ReplicaFailure", "Replica Failure condition. Check Pods");
  }
  std::int64_t wanted = data::int_at(json, {"spec", "replicas"}, 1);
  std::int64_t replicas = counter(json, "replicas");
  if (std::int64_t have = counter(json, "fullyLabeledReplicas"); wanted > have) {
    return in_progress("LessLabelled", of("Labelled", have, wanted));
  }
  if (std::int64_t have = counter(json, "availableReplicas"); wanted > have) {
    return in_progress("LessAvailable", of("Available", have, wanted));
  }
  if (std::int64_t have = counter(json, "readyReplicas"); wanted > have) {
    return in_progress("LessReady", of("Ready", have, wanted));
  }
  if (replicas > wanted) {
    return in_progress("ExtraPods", cat("Pending termination: ", replicas - wanted));
  }
  return current(cat("ReplicaSet is available. Replicas: ", replicas));
}

}  // namespace kubist::resources
