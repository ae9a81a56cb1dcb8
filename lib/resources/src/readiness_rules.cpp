#include "readiness_rules.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using data::Json;
using util::cat;
using Time = std::chrono::system_clock::time_point;

namespace {

/// How long a Pod may be unschedulable before that is a failure: a new node may be on its way.
constexpr std::chrono::seconds k_schedule_window{15};

Readiness failed(std::string_view reason, std::string_view message) {
  return {Status::failed, std::string(reason), std::string(message)};
}

Readiness always(const ObjectView&, const Json&, Time) {
  return current("Resource is always ready");
}

Readiness disruption_budget(const ObjectView&, const Json&, Time) {
  return current("AllowedDisruptions has been computed.");
}

Readiness claim(const ObjectView&, const Json& json, Time) {
  std::string_view phase = data::string_at(json, {"status", "phase"}, "unknown");
  return phase == "Bound" ? current("PVC is Bound")
                          : in_progress("NotBound", cat("PVC is not Bound. phase: ", phase));
}

std::vector<std::string> crash_looping(const Json& json) {
  std::vector<std::string> names;
  for (const Json& status : data::array_at(json, {"status", "containerStatuses"})) {
    if (data::string_at(status, {"state", "waiting", "reason"}) == "CrashLoopBackOff") {
      names.emplace_back(data::string_at(status, {"name"}));
    }
  }
  return names;
}

Readiness running_pod(const ObjectView& object, const Json& json) {
  if (auto ready = object.condition("Ready"); ready && ready->status == "True") {
    return current("Pod is Ready");
  }
  if (auto names = crash_looping(json); !names.empty()) {
    return failed("ContainerCrashLooping",
                  cat("Containers in CrashLoop state: ", util::join(names, ",")));
  }
  return in_progress("PodRunningNotReady", "Pod is running but is not Ready");
}

Readiness pending_pod(const ObjectView& object, Time now) {
  auto scheduled = object.condition("PodScheduled");
  if (scheduled && scheduled->status == "False" && scheduled->reason == "Unschedulable") {
    auto created = util::parse_time(object.creation_timestamp());
    if (created && now - k_schedule_window < *created) {
      return in_progress("PodNotScheduled", "Pod has not been scheduled");
    }
    return failed("PodUnschedulable", "Pod could not be scheduled");
  }
  return in_progress("PodPending", "Pod is in the Pending phase");
}

Readiness pod(const ObjectView& object, const Json& json, Time now) {
  std::string_view phase = data::string_at(json, {"status", "phase"});
  if (phase == "Succeeded") {
    return current("Pod has completed successfully");
  }
  if (phase == "Failed") {
    return current("Pod has completed, but not successfully");
  }
  if (phase == "Running") {
    return running_pod(object, json);
  }
  if (phase == "Pending") {
    return pending_pod(object, now);
  }
  if (phase.empty()) {
    return in_progress("PodNotObserved", "Pod phase not available");
  }
  return {Status::unknown, "UnknownPhase", cat("unknown phase ", phase)};
}

Readiness job(const ObjectView& object, const Json& json, Time) {
  std::int64_t parallelism = data::int_at(json, {"spec", "parallelism"}, 1);
  std::int64_t completions = data::int_at(json, {"spec", "completions"}, parallelism);
  std::int64_t succeeded = data::int_at(json, {"status", "succeeded"}, 0);
  std::int64_t failures = data::int_at(json, {"status", "failed"}, 0);
  for (const ConditionView& condition : object.conditions()) {
    if (condition.status != "True") {
      continue;
    }
    if (condition.type == "Complete") {
      return current(cat("Job Completed. succeeded: ", succeeded, '/', completions));
    }
    if (condition.type == "Failed") {
      return failed("JobFailed", cat("Job Failed. failed: ", failures, '/', completions));
    }
    if (condition.type == "Suspended") {
      return current("Job is suspended");
    }
  }
  if (data::string_at(json, {"status", "startTime"}).empty()) {
    return in_progress("JobNotStarted", "Job not started");
  }
  return current(cat("Job in progress. success:", succeeded, ", active: ",
                     data::int_at(json, {"status", "active"}, 0), ", failed: ", failures));
}

Readiness service(const ObjectView&, const Json& json, Time) {
  if (data::string_at(json, {"spec", "type"}) == "LoadBalancer" &&
      data::string_at(json, {"spec", "clusterIP"}).empty()) {
    return in_progress("NoIPAssigned", "ClusterIP not set. Service type: LoadBalancer");
  }
  return current("Service is ready");
}

Readiness definition(const ObjectView& object, const Json&, Time) {
  for (const ConditionView& condition : object.conditions()) {
    if (condition.type == "NamesAccepted" && condition.status == "False") {
      return failed(condition.reason, condition.message);
    }
    if (condition.type != "Established") {
      continue;
    }
    if (condition.status == "False" && condition.reason != "Installing") {
      return failed(condition.reason, condition.message);
    }
    if (condition.status == "True") {
      return current("CRD is established");
    }
  }
  return in_progress("Installing", "Install in progress");
}

struct RuleEntry {
  std::string_view group;
  std::string_view kind;
  ReadinessRule rule;
};

constexpr RuleEntry k_rules[] = {
    {"", "Service", service},
    {"", "Pod", pod},
    {"", "Secret", always},
    {"", "ConfigMap", always},
    {"", "PersistentVolumeClaim", claim},
    {"apps", "StatefulSet", stateful_set_readiness},
    {"apps", "DaemonSet", daemon_set_readiness},
    {"extensions", "DaemonSet", daemon_set_readiness},
    {"apps", "Deployment", deployment_readiness},
    {"extensions", "Deployment", deployment_readiness},
    {"apps", "ReplicaSet", replica_set_readiness},
    {"extensions", "ReplicaSet", replica_set_readiness},
    {"policy", "PodDisruptionBudget", disruption_budget},
    {"batch", "CronJob", always},
    {"batch", "Job", job},
    {"apiextensions.k8s.io", "CustomResourceDefinition", definition},
};

}  // namespace

ReadinessRule find_readiness_rule(std::string_view group, std::string_view kind) {
  for (const RuleEntry& entry : k_rules) {
    if (entry.group == group && entry.kind == kind) {
      return entry.rule;
    }
  }
  return nullptr;
}

}  // namespace kubist::resources
