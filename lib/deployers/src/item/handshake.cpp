#include <kubist/data/pointer.hpp>
#include <kubist/deployers/handshake.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/duration.hpp>

namespace kubist::deployers {
namespace {

constexpr std::size_t k_kept_errors = 5;
constexpr const char* k_has_succeeded = "hasSucceeded";  // of the provider status

Json error_entry(const Progress& progress, std::string_view now) {
  Json entry{{"operation", progress.operation},
             {"reason", progress.reason},
             {"message", progress.message},
             {"lastTransitionTime", now},
             {"lastUpdateTime", now}};
  if (!progress.codes.empty()) {
    entry["codes"] = progress.codes;
  }
  return entry;
}

void record_error(Json& status, const Progress& progress, std::string_view now) {
  const Json entry = error_entry(progress, now);
  status["lastError"] = entry;
  if (!status.contains("firstError")) {
    status["firstError"] = entry;
  }
  Json& all = status["lastErrors"];
  if (!all.is_array()) {
    all = Json::array();
  }
  all.push_back(entry);
  while (all.size() > k_kept_errors) {
    all.erase(all.begin());
  }
}

void set_ready(Json& status, std::string_view truth, const Progress& progress,
               std::string_view now) {
  resources::set_condition(status["conditions"],
                           {.type = "Ready",
                            .status = std::string(truth),
                            .reason = progress.reason.empty() ? "Unknown" : progress.reason,
                            .message = progress.message,
                            .observed_generation = 0},
                           now);
}

void merge_provider_status(Json& status, const Progress& progress) {
  if (!progress.provider_status.empty()) {
    status["providerStatus"].update(progress.provider_status);
  }
}

}  // namespace

bool job_pending(const Json& status) {
  const auto job = data::string_at(status, {"jobID"});
  return !job.empty() && job != data::string_at(status, {"jobIDFinished"});
}

bool is_over(const Json& status, std::string_view job) {
  return !job_pending(status) || data::string_at(status, {"jobID"}) != job;
}

bool is_success(std::string_view phase) {
  return phase == phase::k_succeeded || phase == "Reconciled";
}

bool is_final(std::string_view phase) {
  return is_success(phase) || phase == phase::k_failed || phase == phase::k_delete_failed;
}

Json triggered(Json status, std::string_view job_id, TimePoint now) {
  const std::string time = util::format_time(now);
  status["jobID"] = job_id;
  status["jobIDGenerationTime"] = time;
  status["transitionTimes"] = {{"triggerTime", time}};
  return status;
}

bool is_taken_up(const Json& status) {
  const auto phase = data::string_at(status, {"phase"});
  return job_pending(status) && !phase.empty() && !is_final(phase) &&
         data::find_path(status, {"transitionTimes", "initTime"}) != nullptr;
}

std::optional<TimePoint> taken_up_at(const Json& status) {
  const auto time = util::parse_time(data::string_at(status, {"transitionTimes", "initTime"}));
  return time ? std::optional(*time) : std::nullopt;
}

Json taken_up(Json status, std::int64_t generation, bool deleting, TimePoint now) {
  if (is_taken_up(status)) {
    return status;
  }
  const std::string time = util::format_time(now);
  if (has_succeeded(status)) {
    status["providerStatus"][k_has_succeeded] = true;
  }
  status["phase"] = deleting ? phase::k_init_delete : phase::k_init;
  status["observedGeneration"] = generation;
  status["lastReconcileTime"] = time;
  status["transitionTimes"]["initTime"] = time;
  status["deployer"] = {{"name", "kubist"}, {"identity", "kubist"}};
  for (const char* field : {"lastError", "firstError", "lastErrors"}) {
    status.erase(field);
  }
  return status;
}

Json working(Json status, bool deleting, const Progress& progress, TimePoint now) {
  if (!job_pending(status)) {
    return status;
  }
  const std::string time = util::format_time(now);
  const std::string_view phase = deleting ? phase::k_deleting : phase::k_progressing;
  if (data::string_at(status, {"phase"}) != phase) {
    status["phase"] = phase;
    status["transitionTimes"]["waitTime"] = time;
  }
  merge_provider_status(status, progress);
  set_ready(status, "False", progress, time);
  return status;
}

Json marked_interrupted(Json status) {
  status["providerStatus"]["interrupted"] = status.value("jobID", "");
  return status;
}

Json finished(Json status, bool deleting, const Progress& progress, const std::string& hash,
              const std::optional<ExportResult>& exports, TimePoint now) {
  if (!job_pending(status)) {
    return status;
  }
  const std::string time = util::format_time(now);
  const bool succeeded = progress.state == Progress::State::done;
  data::erase_path(status, {"providerStatus", "interrupted"});
  status["jobIDFinished"] = status.value("jobID", "");
  status["transitionTimes"]["finishedTime"] = time;
  merge_provider_status(status, progress);
  set_ready(status, succeeded ? "True" : "False", progress, time);
  if (!succeeded) {
    status["phase"] = deleting ? phase::k_delete_failed : phase::k_failed;
    data::erase_path(status, {"providerStatus", "hash"});
    record_error(status, progress, time);
    return status;
  }
  status["phase"] = phase::k_succeeded;
  status["providerStatus"]["hash"] = hash;
  if (exports) {
    status["exportRef"] = {{"name", exports->secret}, {"namespace", exports->ns}};
    status["exports"] = {{"secretRef", {{"name", exports->secret}, {"key", exports->key}}}};
    if (!exports->public_values.empty()) {
      status["exports"]["value"] = exports->public_values;
    }
    const int before = data::count_at(status, {"exportGeneration"});
    status["exportGeneration"] = before + (exports->changed || before == 0 ? 1 : 0);
  }
  return status;
}

bool needs_somebody(const Json& status) {
  const Json& codes = data::array_at(status, {"lastError", "codes"});
  return std::any_of(codes.begin(), codes.end(), [](const Json& code) {
    return code == "ERR_CONFIGURATION_PROBLEM" || code == "ERR_UNAUTHORIZED";
  });
}

bool has_succeeded(const Json& status) {
  return is_success(data::string_at(status, {"phase"})) ||
         data::bool_at(status, {"providerStatus", k_has_succeeded});
}

std::string last_hash(const Json& status) {
  return is_success(data::string_at(status, {"phase"}))
             ? std::string(data::string_at(status, {"providerStatus", "hash"}))
             : std::string();
}

}  // namespace kubist::deployers
