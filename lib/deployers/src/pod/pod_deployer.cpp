#include "pod/pod_deployer.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/logs.hpp>
#include <kubist/deployers/pod.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/state/mark.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "item/log_store.hpp"
#include "item/requests.hpp"
#include "pod/account_token.hpp"
#include "pod/pod_start.hpp"
#include "pod/pod_status.hpp"
#include "pod/state_claim.hpp"
#include "pod/state_secrets.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::int64_t k_fetched_lines = 1000;
constexpr std::int64_t k_fetched_bytes = std::int64_t{1} << 20;
constexpr std::chrono::seconds k_log_time{30};
constexpr std::size_t k_message_lines = 5;
constexpr std::size_t k_message_bytes = 1000;
constexpr const char* k_started = "workloadStarted";  // of the provider status

/// Of an object that items keep at their place: all of a namespace share the watch.
WatchRequest watched(const Job& job, const kube::ApiResource& resource, const std::string& name) {
  return {job.place.client, {resource, job.place.ns, name, std::string(k_item_label), true}};
}

/// The tail of one container's log; empty where there is none (never started, gone).
std::string fetch_log(const World& world, const Job& job, const std::string& pod,
                      std::string_view container) {
  kube::LogOptions options;
  options.container = container;
  options.tail_lines = k_fetched_lines;
  options.limit_bytes = k_fetched_bytes;
  kube::ApiCall call = kube::pod_log(job.place.ns, pod, options);
  call.max_body = 2 * k_fetched_bytes;  // kubelets stop at what was asked for
  call.timeout = k_log_time;
  const auto reply = job.place.client->run(call, world.stop);
  return reply ? tail_of(reply->body, k_log_tail, k_fetched_lines) : std::string();
}

/// Values that must not be seen: imports, exports that are not public, Secrets of the workload.
Redactor make_redactor(const Item& item, const Workload& workload, const Job& job,
                       const std::optional<Json>& exports) {
  Redactor redactor;
  redactor.add_all(job.imports);
  // A Secret that is missing or refused has been reported before the pod was made.
  (void)check_secrets(workload, job, redactor);
  add_secret_exports(redactor, item, exports.value_or(Json()));
  return redactor;
}

struct Observed {
  std::optional<Json> pod;
  std::optional<Json> export_secret;
  std::optional<state::Mark> mark;
};

util::Result<> observe_mark(Observed& seen, const Job& job, const PodNames& names) {
  KUBIST_TRY(seen.export_secret, job.place.client->find(kube::well_known::secrets(), job.place.ns,
                                                        names.export_secret));
  if (seen.export_secret) {
    seen.mark = state::mark_of(*seen.export_secret);
  }
  return {};
}

util::Result<> observe_pod(Observed& seen, const Job& job, const PodNames& names) {
  KUBIST_TRY(seen.pod, job.place.client->find(kube::well_known::pods(), job.place.ns, names.pod));
  return {};
}

std::string exports_of(const Json& secret) {
  return util::base64_decode(data::string_at(secret, {"data", state::k_export_key})).value_or("{}");
}

/// May the workload of any run have started, as far as the item's status tells? Earlier kubists did
/// not say.
bool may_have_started(const Item& item) {
  const Json* told = data::find_path(item.object, {"status", "providerStatus", k_started});
  return told != nullptr
             ? *told == true
             : data::find_path(item.object, {"status", "providerStatus", "pod"}) != nullptr;
}

Progress vanished(const Job& job, const PodNames& names) {
  Progress progress;
  progress.provider_status = {{k_started, true}};  // nobody can tell any more
  progress.state = Progress::State::failed;
  progress.operation = "RunWorkload";
  progress.reason = "PodVanished";
  progress.message = cat("pod ", job.place.ns, "/", names.pod,
                         " was deleted by somebody else before its workload ended");
  return progress;
}

Json provider_status(const Item& item, const Job& job, const PodNames& names, const Json& pod) {
  return {{"pod", names.pod},
          {"podNamespace", job.place.ns},
          {"podCluster", job.place.cluster},
          {"operation", job.remove ? "DELETE" : "RECONCILE"},
          {k_started, may_have_started(item) || workload_started(pod)}};
}

/// Exports, log and message of a job that has ended.
void finish(const World& world, Progress& progress, const Item& item, const Workload& workload,
            const Job& job, const PodNames& names, const Observed& seen) {
  const bool succeeded = progress.state == Progress::State::done;
  std::optional<Json> exports;
  if (seen.export_secret && seen.mark && seen.mark->job == job.id) {
    const std::string bytes = exports_of(*seen.export_secret);
    exports = json_or_null(bytes);
    if (succeeded) {
      progress.exports = bytes;
    }
  }
  const Redactor redactor = make_redactor(item, workload, job, exports);
  std::string log = fetch_log(world, job, names.pod, k_workload_container);
  if (!succeeded && log.empty()) {
    log = fetch_log(world, job, names.pod, k_restore_container);
  }
  log = redactor.redact(log);
  progress.message = redactor.redact(progress.message);
  if (!succeeded && progress.operation == "RunWorkload" && !log.empty()) {
    progress.message +=
        cat("; the end of its log:\n", util::trim(tail_of(log, k_message_bytes, k_message_lines)));
  }
  progress.log = std::move(log);
}

}  // namespace

util::Result<> PodDeployer::check(const Item& item, const Settings& settings) const {
  KUBIST_CHECK(parse_workload(item, m_script, settings));
  return {};
}

Json PodDeployer::identity(const Item& item, const Settings& settings) const {
  Json config = item.config;
  for (const char* field : {"deleteScript", "onDelete"}) {
    config.erase(field);  // of the item's deletion: changing it is no new work
  }
  if (m_script && !config.contains("image")) {
    config["image"] = settings.script_image;
  }
  return {{"config", config}, {"exportSchema", item.export_schema}};
}

util::Result<Progress> PodDeployer::advance(World& world, const Item& item, const Job& job) const {
  KUBIST_TRY(const Workload workload, parse_workload(item, m_script, world.settings, job.remove));
  const PodNames names = pod_names(item, job.id);
  Observed seen;
  KUBIST_CHECK(observe_pod(seen, job, names));
  if (!seen.pod) {
    const Json& object = item.object;
    if (data::string_at(object, {"status", "providerStatus", "pod"}) == names.pod) {
      return vanished(job, names);
    }
    KUBIST_TRY(Started started, start_pod(world, item, workload, job, names));
    if (started.blocked) {
      return *std::move(started.blocked);
    }
    seen.pod = std::move(started.pod);
    if (!seen.pod) {  // another kubist was faster
      KUBIST_CHECK(observe_pod(seen, job, names));
    }
    if (!seen.pod) {
      return vanished(job, names);
    }
  }
  if (needs_mark(*seen.pod)) {
    KUBIST_CHECK(observe_mark(seen, job, names));
  }
  const Verdict verdict =
      judge_pod(*seen.pod, seen.mark, job.id, world.settings, world.clock->now());
  Progress progress;
  progress.operation = verdict.operation;
  progress.reason = verdict.reason;
  progress.message = verdict.message;
  progress.codes = verdict.codes;
  progress.provider_status = provider_status(item, job, names, *seen.pod);
  if (verdict.state == Verdict::State::running) {
    progress.ask_again = verdict.ask_again;
    progress.watch = {watched(job, kube::well_known::pods(), names.pod),
                      watched(job, kube::well_known::secrets(), names.export_secret)};
    return progress;
  }
  progress.state =
      verdict.state == Verdict::State::succeeded ? Progress::State::done : Progress::State::failed;
  finish(world, progress, item, workload, job, names, seen);
  if (world.stop.stop_requested() && progress.log && progress.log->empty()) {
    return util::fail(util::ErrorKind::cancelled, "stopped while the log was read");
  }
  return progress;
}

namespace {

/// Once its grace has passed, a workload that did not heed SIGTERM is killed in the middle of
/// something: what it left is no state. So its sidecar loses the right to save just before. When
/// that is to be done, or nothing.
util::Result<std::optional<std::chrono::milliseconds>> fence_late_state(World& world,
                                                                        const Job& job,
                                                                        const PodNames& names,
                                                                        const Json& pod) {
  constexpr std::chrono::milliseconds k_early{700};
  const auto killed = util::parse_time(data::string_at(pod, {"metadata", "deletionTimestamp"}));
  if (!killed || terminated(pod, k_workload_container) != nullptr) {
    return std::nullopt;
  }
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(*killed - k_early - world.clock->now());
  if (left.count() > 0) {
    return left;
  }
  const auto& secrets = kube::well_known::secrets();
  KUBIST_TRY(const auto head, job.place.client->find(secrets, job.place.ns, names.state_secret));
  if (head &&
      data::string_at(*head, {"metadata", "annotations", state::k_job_annotation}) == job.id) {
    const Json annotations{{std::string(state::k_job_annotation), cat(job.id, "-killed")}};
    KUBIST_CHECK(world.writer.patch({*job.place.client, job.place.cluster}, secrets, job.place.ns,
                                    names.state_secret, kube::PatchType::merge,
                                    {{"metadata", {{"annotations", annotations}}}}));
  }
  return std::nullopt;
}

}  // namespace

util::Result<Progress> PodDeployer::stop(World& world, const Item& item, const Job& job) const {
  const PodNames names = pod_names(item, job.id);
  Progress progress;
  progress.operation = "StopPod";
  Observed seen;
  KUBIST_CHECK(observe_pod(seen, job, names));
  KUBIST_CHECK(observe_mark(seen, job, names));
  if (const auto workload = parse_workload(item, m_script, world.settings); workload && seen.pod) {
    progress.state = Progress::State::failed;
    finish(world, progress, item, *workload, job, names, seen);
  }
  if (seen.pod) {
    progress.provider_status = provider_status(item, job, names, *seen.pod);
  }
  KUBIST_TRY(const auto pods, delete_pods(world, item, job));
  if (item.config.contains("serviceAccountName")) {
    KUBIST_CHECK(remove_account_token(world, {*job.place.client, job.place.cluster}, job, names));
  }
  progress.state = pods.empty() ? Progress::State::done : Progress::State::running;
  if (!pods.empty()) {
    progress.message = cat("waiting for pod ", job.place.ns, "/", pods.front(), " to end");
    progress.watch = {watched(job, kube::well_known::pods(), pods.front())};
    if (seen.pod) {
      KUBIST_TRY(progress.ask_again, fence_late_state(world, job, names, *seen.pod));
    }
    // The deletion was asked for just now, after the look at the pod.
    if (seen.pod && data::string_at(*seen.pod, {"metadata", "deletionTimestamp"}).empty()) {
      progress.ask_again = std::chrono::milliseconds(500);
    }
  } else {
    if (seen.export_secret && seen.mark && seen.mark->job == job.id) {
      progress.exports = exports_of(*seen.export_secret);
    }
    const auto workload = parse_workload(item, m_script, world.settings);
    progress.message = workload && workload->state_claim
                           ? std::string("its state is in a volume and stays as it is")
                           : state_outcome(seen.mark, job.id, world.settings);
  }
  return progress;
}

Uninstall PodDeployer::uninstall(const Item& item) const {
  if (m_script && !item.config.contains("deleteScript")) {
    return {false, "runs nothing: it has no deleteScript"};
  }
  if (data::string_at(item.config, {"onDelete"}) == "Skip") {
    return {false, "runs nothing: its onDelete is Skip"};
  }
  if (!may_have_started(item)) {
    return {false, "runs nothing: its workload has never started"};
  }
  return {true, m_script ? "runs its deleteScript" : "runs its image with OPERATION=DELETE"};
}

util::Result<Json> PodDeployer::catch_up(World& world, const Item& item, const Place& place) const {
  if (may_have_started(item)) {
    return Json::object();
  }
  const std::string own =
      pod_names(item, std::string(data::string_at(item.object, {"status", "jobID"}))).pod;
  // One that was made, and is there no more, may have done anything.
  bool found = data::string_at(item.object, {"status", "providerStatus", "pod"}) != own;
  bool started = false;
  KUBIST_TRY(const auto pods, item_pods(world, item, place));
  for (const Json& pod : pods) {
    started = started || workload_started(pod);
    found = found || data::string_at(pod, {"metadata", "name"}) == own;
  }
  return Json{{k_started, started || !found}};
}

util::Result<> PodDeployer::dismiss(World& world, const Item& item, const Job& job) const {
  const PodNames names = pod_names(item, job.id);
  const kube::Target target{*job.place.client, job.place.cluster};
  KUBIST_CHECK(world.writer.remove(target, kube::well_known::pods(), job.place.ns, names.pod));
  if (item.config.contains("serviceAccountName")) {
    KUBIST_CHECK(remove_account_token(world, target, job, names));
  }
  return {};
}

util::Result<Progress> PodDeployer::clean_up(World& world, const Item& item, const Job& job) const {
  const PodNames names = pod_names(item, job.id);
  const Place& place = job.place;
  Progress progress;
  progress.operation = "CleanUp";
  KUBIST_TRY(const auto pods, delete_pods(world, item, job));
  if (!pods.empty()) {
    progress.message = cat("waiting for pod ", place.ns, "/", pods.front(), " to end");
    progress.watch = {watched(job, kube::well_known::pods(), pods.front())};
    return progress;
  }
  const kube::Target target{*place.client, place.cluster};
  KUBIST_CHECK(remove_chunks(world, target, item, job, names));
  const auto workload = parse_workload(item, m_script, world.settings);
  if (!workload || (workload->state_claim && workload->state_claim->existing.empty())) {
    KUBIST_CHECK(remove_state_claim(world, target, job, names));
  }
  if (item.config.contains("serviceAccountName")) {
    KUBIST_CHECK(remove_account_token(world, target, job, names));
  }
  const std::pair<const kube::ApiResource&, const std::string&> all[]{
      {kube::well_known::role_bindings(), names.agent},
      {kube::well_known::roles(), names.agent},
      {kube::well_known::service_accounts(), names.agent},
      {kube::well_known::secrets(), names.input_secret},
      {kube::well_known::secrets(), names.export_secret},
      {kube::well_known::secrets(), names.state_secret}};
  for (const auto& [resource, name] : all) {
    KUBIST_CHECK(world.writer.remove(target, resource, place.ns, name));
  }
  progress.state = Progress::State::done;
  return progress;
}

}  // namespace kubist::deployers
