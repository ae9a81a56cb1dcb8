#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/deployers/deployer.hpp>

/// The job protocol of DeployItems (gardener/landscaper's deployer_contract.md) as pure functions
/// over the item's status: who wants a run sets a new jobID; the deployer that takes
/// it up says Init, then Progressing; phase and jobIDFinished end in one write. Where two kubists
/// work on one job, whoever comes second leaves the status as the first one wrote it.
namespace kubist::deployers {

namespace phase {
inline constexpr std::string_view k_init = "Init";
inline constexpr std::string_view k_progressing = "Progressing";
inline constexpr std::string_view k_succeeded = "Succeeded";
inline constexpr std::string_view k_failed = "Failed";
inline constexpr std::string_view k_init_delete = "InitDelete";
inline constexpr std::string_view k_deleting = "Deleting";
inline constexpr std::string_view k_delete_failed = "DeleteFailed";
}  // namespace phase

using TimePoint = std::chrono::system_clock::time_point;

/// Is a job asked for that is not done?
bool job_pending(const Json& status);
/// Has that job come to its end, by whoever drove it? Also where another one was asked for since.
bool is_over(const Json& status, std::string_view job);
bool is_final(std::string_view phase);
/// Succeeded, or Reconciled: landscaper's earlier word, which other deployers may still write.
bool is_success(std::string_view phase);

/// Asks for a run.
Json triggered(Json status, std::string_view job_id, TimePoint now);
/// A deployer takes the job up: Init or InitDelete, errors of the job before are forgotten.
Json taken_up(Json status, std::int64_t generation, bool deleting, TimePoint now);
/// Has the pending job been taken up already (by a kubist that was interrupted)?
bool is_taken_up(const Json& status);
/// When the job was taken up: where its timeout counts from.
std::optional<TimePoint> taken_up_at(const Json& status);
/// It is being worked on; `progress` gives the condition and the provider status.
Json working(Json status, bool deleting, const Progress& progress, TimePoint now);

/// What the exports became at home.
struct ExportResult {
  std::string secret, key;
  std::string ns;
  bool changed = false;  ///< the bytes differ from before
  Json public_values = Json::object();
};
/// Why a job failed that somebody ended.
inline constexpr const char* k_interrupted = "Interrupted";
/// Somebody wants the job that is under way to end (providerStatus.interrupted).
Json marked_interrupted(Json status);

/// The end: final phase and jobIDFinished together. Success records `hash` and the exports; failure
/// keeps the exports of before and records the error.
Json finished(Json status, bool deleting, const Progress& progress, const std::string& hash,
              const std::optional<ExportResult>& exports, TimePoint now);

/// Did the last run fail on something that only a person can mend (input, rights)? Anything else
/// may be better the next time.
bool needs_somebody(const Json& status);

/// Has any run of it succeeded? (A success is remembered when the next job is taken up.)
bool has_succeeded(const Json& status);

/// The hash of the last success, empty when the last run failed or there was none.
std::string last_hash(const Json& status);

}  // namespace kubist::deployers
