#include "steps/steps_calls.hpp"

#include <algorithm>
#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "policy/step_fields.hpp"

namespace kubist::policies {

using util::cat;

namespace {

constexpr std::array<std::string_view, 6> k_webhook{"name",     "url",     "timeout",
                                                    "metadata", "retries", "type"};
constexpr std::string_view k_rollout = "rollout", k_confirm = "confirm-traffic-increase";
constexpr std::chrono::seconds k_timeout{10}, k_longest{60};
constexpr std::array<std::string_view, 9> k_job{
    "name",    "image",  "command", "args", "env", "resources", "imagePullSecrets",
    "timeout", "retries"};
constexpr std::chrono::seconds k_job_timeout = std::chrono::minutes(10),
                               k_longest_job = std::chrono::hours(24);
constexpr std::int64_t k_most_retries = 100;

Json field_of(const Json& given, std::string_view field, const Json& otherwise) {
  const Json* found = data::find_path(given, {field});
  return found != nullptr ? *found : otherwise;
}

constexpr const char* k_wrong_retries = "retries: a number from 0 to 100";

bool is_retries(const Json& retries) {
  return retries.is_number_integer() && retries >= 0 && retries <= k_most_retries;
}

/// Values from Secrets are not for whoever may change a release.
bool is_plain(const Json& env) {
  return env.is_array() && std::all_of(env.begin(), env.end(), [](const Json& variable) {
           return variable.is_object() && variable.size() == 2 &&
                  !data::string_at(variable, {"name"}).empty() && variable.contains("value") &&
                  variable["value"].is_string();
         });
}

bool are_texts(const Json& metadata) {
  return metadata.is_object() && std::all_of(metadata.begin(), metadata.end(),
                                             [](const Json& value) { return value.is_string(); });
}

}  // namespace

util::Result<Step> read_webhook(const Json& given, const std::string& where, const Place& place) {
  KUBIST_CHECK(check_fields(given, k_webhook, where, place));
  Step step;
  step.kind = Step::Kind::webhook;
  step.name = data::string_at(given, {"name"});
  const std::string url(data::string_at(given, {"url"}));
  const Json metadata = field_of(given, "metadata", Json::object());
  const auto type = data::string_at(given, {"type"}, k_rollout);
  const Json retries = field_of(given, "retries", 0);
  KUBIST_TRY(const auto timeout, read_time(given, "timeout", where, place));
  const auto limit = timeout.value_or(k_timeout);
  const char* wrong =
      step.name.empty() || url.empty() ? "needs a name and a url"
      : type != k_rollout && type != k_confirm
          ? "type: rollout or confirm-traffic-increase; when it is called is said by its place"
      : !are_texts(metadata)                   ? "metadata has only texts"
      : limit.count() < 1 || limit > k_longest ? "timeout: from 1s to 1m"
      : !is_retries(retries)                   ? k_wrong_retries
                                               : nullptr;
  if (wrong != nullptr) {
    return place.fail(cat(where, ' ', wrong));
  }
  step.retries = retries.get<std::int64_t>();
  step.waits = type == k_confirm;
  step.call.what = engine::WebhookCall{url, limit, metadata};
  return step;
}

util::Result<Step> read_job(const Json& given, const std::string& where, const Place& place) {
  KUBIST_CHECK(check_fields(given, k_job, where, place));
  Step step;
  step.kind = Step::Kind::job;
  step.name = data::string_at(given, {"name"});
  const Json env = field_of(given, "env", Json::array());
  const Json retries = field_of(given, "retries", 0);
  KUBIST_TRY(const auto timeout, read_time(given, "timeout", where, place));
  const auto limit = timeout.value_or(k_job_timeout);
  const char* wrong = step.name.empty() || data::string_at(given, {"image"}).empty()
                          ? "needs a name and an image"
                      : !is_plain(env)                             ? "env has only names and values"
                      : limit.count() < 1 || limit > k_longest_job ? "timeout: from 1s to 24h"
                      : !is_retries(retries)                       ? k_wrong_retries
                                                                   : nullptr;
  if (wrong != nullptr) {
    return place.fail(cat(where, ' ', wrong));
  }
  step.retries = retries.get<std::int64_t>();
  step.duration = limit;
  Json config = given;
  for (const char* own : {"name", "timeout", "retries"}) {
    config.erase(own);
  }
  step.call.what = engine::JobCall{std::move(config), util::go_duration(limit)};
  return step;
}

CallCheck check_call(const Step& step, const Json* answer) {
  const bool job = step.kind == Step::Kind::job;
  const std::string what = cat(job ? "job " : "webhook ", step.name);
  const auto reason =
      answer != nullptr ? data::string_at(*answer, {"reason"}) : engine::k_reason_not_due;
  if (reason == engine::k_reason_not_due) {
    return {CallCheck::Outcome::pending, "StepRunning",
            cat(what, job ? " begins" : " is called", " at the next evaluation")};
  }
  const std::string_view said = data::string_at(*answer, {"message"});
  const std::string behind = said.empty() ? "" : cat(": ", said);
  if (!reason.empty()) {
    return {reason == engine::k_reason_job_running ? CallCheck::Outcome::pending
                                                   : CallCheck::Outcome::unknown,
            std::string(reason), cat(what, behind)};
  }
  const auto status = data::int_at(*answer, {"status"});
  if (status / 100 == 2 || data::bool_at(*answer, {"succeeded"})) {
    return {CallCheck::Outcome::passed, "", ""};
  }
  return job ? CallCheck{CallCheck::Outcome::refused, "JobFailed", cat(what, behind)}
             : CallCheck{CallCheck::Outcome::refused, step.waits ? "NotConfirmed" : "HookFailed",
                         cat(what, ": status ", status, behind)};
}

}  // namespace kubist::policies
