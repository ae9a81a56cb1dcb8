#include "pod/pod_status.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/pod.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

using std::chrono::milliseconds;
using util::cat;

constexpr std::string_view k_config_problem = "ERR_CONFIGURATION_PROBLEM";

const Json* container_status(const Json& pod, std::string_view name) {
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const Json& status : data::array_at(pod, {"status", list})) {
      if (data::string_at(status, {"name"}) == name) {
        return &status;
      }
    }
  }
  return nullptr;
}

std::string pod_name(const Json& pod) {
  return cat("pod ", data::string_at(pod, {"metadata", "namespace"}), "/",
             data::string_at(pod, {"metadata", "name"}));
}

TimePoint time_at(std::string_view text, TimePoint otherwise) {
  const auto time = util::parse_time(text);
  return time ? *time : otherwise;
}

Verdict running(std::string operation, std::string reason, std::string message) {
  return {
      Verdict::State::running, std::move(operation), std::move(reason), std::move(message), {}, {}};
}

constexpr std::int64_t k_wrong_flags = 64;  // how kubist ends then, so the agent too

Verdict failed(std::string operation, std::string reason, std::string message,
               std::vector<std::string> codes = {}) {
  return {Verdict::State::failed, std::move(operation), std::move(reason),
          std::move(message),     std::move(codes),     {}};
}

/// A fault that may mend itself until `since` + `grace`.
Verdict after_grace(Verdict fault, TimePoint since, milliseconds grace, TimePoint now) {
  const auto left = std::chrono::duration_cast<milliseconds>(since + grace - now);
  if (left.count() <= 0) {
    return fault;
  }
  fault.state = Verdict::State::running;
  fault.codes.clear();
  fault.ask_again = left + milliseconds(50);
  return fault;
}

bool one_of(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

/// Where somebody can name another image for that container.
std::string named_by(std::string_view container, std::string_view image, const Settings& settings) {
  if (container != k_workload_container) {
    return "; kubist's own image is named by spec.images.agent of the Root (kubist init "
           "--agent-image IMAGE), or by $KUBIST_AGENT_IMAGE";
  }
  if (image == settings.script_image) {
    return "; the image of scripts that name none is named by spec.images.script of the Root "
           "(kubist init --script-image IMAGE), or by $KUBIST_SCRIPT_IMAGE";
  }
  return "; the image is named by the item's field image, the Secrets for its registry by "
         "imagePullSecrets";
}

std::optional<Verdict> judge_waiting(const Json& pod, const Settings& settings, TimePoint now) {
  const TimePoint started =
      time_at(data::string_at(pod, {"status", "startTime"}),
              time_at(data::string_at(pod, {"metadata", "creationTimestamp"}), now));
  for (const std::string_view name :
       {k_restore_container, k_collect_container, k_workload_container}) {
    const Json* status = container_status(pod, name);
    const Json* waiting =
        status == nullptr ? nullptr : data::find_path(*status, {"state", "waiting"});
    if (waiting == nullptr) {
      continue;
    }
    const auto reason = data::string_at(*waiting, {"reason"});
    const auto why = data::string_at(*waiting, {"message"});
    Verdict fault = failed(
        "StartPod", std::string(reason),
        cat(pod_name(pod), ": container ", name, ": ", reason, why.empty() ? "" : ": ", why));
    const std::string image = named_by(name, data::string_at(*status, {"image"}), settings);
    if (one_of(reason, {"ErrImagePull", "ImagePullBackOff", "RegistryUnavailable",
                        "SignatureValidationFailed"})) {
      fault.message += image;
      return after_grace(std::move(fault), started, settings.graces.image, now);
    }
    if (one_of(reason, {"InvalidImageName", "ErrImageNeverPull"})) {
      fault.message += image;
      fault.codes = {std::string(k_config_problem)};
      return fault;
    }
    if (one_of(reason, {"CreateContainerConfigError", "CreateContainerError", "RunContainerError",
                        "CrashLoopBackOff"})) {
      fault.codes = {std::string(k_config_problem)};
      return after_grace(std::move(fault), started, settings.graces.config, now);
    }
  }
  return {};
}

std::optional<Verdict> judge_scheduling(const Json& pod, const Settings& settings, TimePoint now) {
  for (const Json& condition : data::array_at(pod, {"status", "conditions"})) {
    if (data::string_at(condition, {"type"}) == "PodScheduled" &&
        data::string_at(condition, {"reason"}) == "Unschedulable") {
      Verdict fault = failed(
          "SchedulePod", "Unschedulable",
          cat(pod_name(pod), " cannot be scheduled: ", data::string_at(condition, {"message"})));
      return after_grace(std::move(fault),
                         time_at(data::string_at(condition, {"lastTransitionTime"}), now),
                         settings.graces.unschedulable, now);
    }
  }
  return {};
}

const Json* condition_of(const Json& pod, std::string_view type) {
  for (const Json& condition : data::array_at(pod, {"status", "conditions"})) {
    if (data::string_at(condition, {"type"}) == type) {
      return &condition;
    }
  }
  return nullptr;
}

bool condition_is(const Json& pod, std::string_view type, std::string_view status) {
  const Json* condition = condition_of(pod, type);
  return condition != nullptr && data::string_at(*condition, {"status"}) == status;
}

bool is_deleted(const Json& pod) {
  return !data::string_at(pod, {"metadata", "deletionTimestamp"}).empty();
}

/// Who deletes a pod for the cluster's sake says so (KEP-3329): eviction, preemption, taints.
std::string why_disrupted(const Json& pod) {
  const Json* condition = condition_of(pod, "DisruptionTarget");
  if (condition == nullptr || data::string_at(*condition, {"status"}) != "True") {
    return {};
  }
  return cat(": ", data::string_at(*condition, {"reason"}), ": ",
             data::string_at(*condition, {"message"}));
}

/// The node controller takes Ready from the pods of a node that stopped answering, and nothing
/// else: the kubelet itself never says that a pod is not ready whose containers are.
bool is_node_lost(const Json& pod) {
  return condition_is(pod, "Ready", "False") && condition_is(pod, "ContainersReady", "True");
}

Verdict judge_running(const Json& pod) {
  if (is_node_lost(pod)) {
    return running("RunWorkload", "NodeLost",
                   cat("node ", data::string_at(pod, {"spec", "nodeName"}), " of ", pod_name(pod),
                       " stopped answering; its workload may still run, so the item waits for the "
                       "node to return and starts no other pod"));
  }
  if (is_deleted(pod)) {
    return running(
        "RunWorkload", "PodDeleted",
        cat(pod_name(pod), " is being deleted while its workload runs", why_disrupted(pod)));
  }
  return running("RunWorkload", "Running", cat("waiting for the workload of ", pod_name(pod)));
}

/// How the workload ended, the mark of its sidecar being there or given up.
Verdict judge_end(const Json& pod, const Json& end, const std::optional<state::Mark>& mark) {
  const auto reason = data::string_at(end, {"reason"});
  const std::int64_t code = data::int_at(end, {"exitCode"}, -1);
  if (reason == "OOMKilled") {
    return failed("RunWorkload", "OOMKilled",
                  cat("the workload of ", pod_name(pod), " ran out of memory and was killed"));
  }
  const auto pod_reason = data::string_at(pod, {"status", "reason"});
  if (pod_reason == "DeadlineExceeded") {
    return failed("RunWorkload", "Timeout",
                  cat("the workload of ", pod_name(pod), " did not end within the item's timeout"),
                  {"ERR_TIMEOUT"});
  }
  if (!pod_reason.empty() && data::string_at(pod, {"status", "phase"}) == "Failed") {
    return failed("RunWorkload", std::string(pod_reason),
                  cat(pod_name(pod), " failed: ", pod_reason, ": ",
                      data::string_at(pod, {"status", "message"})));
  }
  if (code != 0 && is_deleted(pod)) {
    return failed("RunWorkload", "PodDeleted",
                  cat(pod_name(pod), " was deleted while its workload ran", why_disrupted(pod)));
  }
  if (code != 0) {
    const std::int64_t signal = code > 128 ? code - 128 : 0;
    return failed("RunWorkload", "WorkloadFailed",
                  cat("the workload of ", pod_name(pod), " exited with code ", code,
                      signal > 0 ? cat(" (signal ", signal, ")") : ""));
  }
  if (!mark) {
    return failed("CollectExports", "NotCollected",
                  cat("the workload of ", pod_name(pod),
                      " succeeded, but its sidecar ended without collecting exports and state"));
  }
  if (!mark->exports_error.empty()) {
    return failed("CollectExports", "InvalidExports", mark->exports_error,
                  {std::string(k_config_problem)});
  }
  if (!mark->state_error.empty()) {
    return failed("SaveState", "StateNotSaved",
                  cat("the state was not saved, the old one stays: ", mark->state_error));
  }
  return {Verdict::State::succeeded,
          "CollectExports",
          "Succeeded",
          cat("the workload of ", pod_name(pod), " succeeded"),
          {},
          {}};
}

std::string_view message_of(const Json& end) {
  return util::trim(data::string_at(end, {"message"}));
}

}  // namespace

std::string state_outcome(const std::optional<state::Mark>& mark, const std::string& job,
                          const Settings& settings) {
  if (!mark || mark->job != job) {
    return cat("its state was not saved, the old one stays: the workload did not end within ",
               settings.termination_grace.count(), " s of SIGTERM");
  }
  if (!mark->state_error.empty()) {
    return cat("its state was not saved, the old one stays: ", mark->state_error);
  }
  return "its state was saved";
}

const Json* terminated(const Json& pod, std::string_view container) {
  const Json* status = container_status(pod, container);
  return status == nullptr ? nullptr : data::find_path(*status, {"state", "terminated"});
}

bool workload_started(const Json& pod) {
  const Json* status = container_status(pod, k_workload_container);
  if (status == nullptr) {
    return false;
  }
  const Json* end = data::find_path(*status, {"state", "terminated"});
  // What the runtime could not start, e.g. for a command that the image does not have.
  return end != nullptr
             ? !one_of(data::string_at(*end, {"reason"}), {"StartError", "ContainerCannotRun"})
             : data::find_path(*status, {"state", "running"}) != nullptr;
}

bool needs_mark(const Json& pod) {
  return terminated(pod, k_workload_container) != nullptr ||
         !data::string_at(pod, {"status", "reason"}).empty();
}

Verdict judge_pod(const Json& pod, const std::optional<state::Mark>& mark, const std::string& job,
                  const Settings& settings, TimePoint now) {
  const std::optional<state::Mark> own = mark && mark->job == job ? mark : std::nullopt;
  const auto phase = data::string_at(pod, {"status", "phase"});
  const bool over = phase == "Succeeded" || phase == "Failed";
  const Json* collect = container_status(pod, k_collect_container);
  if (data::string_at(pod, {"status", "reason"}) == "DeadlineExceeded" && !own &&
      collect != nullptr && data::find_path(*collect, {"state", "running"}) != nullptr) {
    // The kubelet says Failed before it ends the containers; the state is saved in between.
    return running("RunWorkload", "Timeout", cat("waiting for the workload of ", pod_name(pod)));
  }
  if (const Json* restore = terminated(pod, k_restore_container);
      restore != nullptr && data::int_at(*restore, {"exitCode"}) != 0) {
    const bool asked_too_much = data::int_at(*restore, {"exitCode"}) == k_wrong_flags;
    return failed(
        "RestoreState", "RestoreFailed",
        cat(pod_name(pod), " could not restore imports and state: ", message_of(*restore),
            asked_too_much ? cat("; its image is of an older kubist, which does not know what this "
                                 "one asks for",
                                 named_by(k_restore_container, {}, settings))
                           : ""));
  }
  if (const Json* end = terminated(pod, k_workload_container); end != nullptr) {
    const Json* sidecar = terminated(pod, k_collect_container);
    if (own || over || (sidecar != nullptr && data::int_at(*sidecar, {"exitCode"}) == 0)) {
      return judge_end(pod, *end, own);
    }
    const TimePoint ended = time_at(data::string_at(*end, {"finishedAt"}), now);
    Verdict late = judge_end(pod, *end, own);
    if (sidecar != nullptr) {
      late.message += cat(": ", message_of(*sidecar));
    }
    Verdict waiting =
        after_grace(std::move(late), ended, settings.termination_grace + settings.graces.mark, now);
    if (waiting.state == Verdict::State::running) {
      waiting.operation = "CollectExports";
      waiting.reason = "Collecting";
      waiting.message =
          cat("waiting for the sidecar of ", pod_name(pod), " to collect exports and state");
    }
    return waiting;
  }
  if (over) {  // never started: evicted, deadline, node lost
    const auto reason = data::string_at(pod, {"status", "reason"});
    const bool late = reason == "DeadlineExceeded";
    return failed("RunWorkload",
                  late             ? "Timeout"
                  : reason.empty() ? "PodFailed"
                                   : std::string(reason),
                  cat(pod_name(pod), " failed before its workload ended: ", reason, " ",
                      data::string_at(pod, {"status", "message"})),
                  late ? std::vector<std::string>{"ERR_TIMEOUT"} : std::vector<std::string>{});
  }
  if (auto fault = judge_waiting(pod, settings, now)) {
    return *std::move(fault);
  }
  if (auto fault = judge_scheduling(pod, settings, now)) {
    return *std::move(fault);
  }
  const Json* workload = container_status(pod, k_workload_container);
  if (workload != nullptr && data::find_path(*workload, {"state", "running"}) != nullptr) {
    return judge_running(pod);
  }
  return running("StartPod", "Starting", cat("waiting for ", pod_name(pod), " to start"));
}

}  // namespace kubist::deployers
