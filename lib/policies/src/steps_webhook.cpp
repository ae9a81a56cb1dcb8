#include "steps_webhook.hpp"

#include <algorithm>
#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "step_fields.hpp"

namespace kubist::policies {

using util::cat;
using util::ErrorKind;
using Outcome = CallCheck::Outcome;

namespace {

constexpr std::array<std::string_view, 6> k_webhook{"name",     "url",     "timeout",
                                                    "metadata", "retries", "type"};
constexpr std::string_view k_rollout = "rollout", k_confirm = "confirm-traffic-increase";
constexpr std::chrono::seconds k_timeout{10}, k_longest{60};
constexpr std::int64_t k_most_retries = 100;

Json field_of(const Json& given, std::string_view field, Json otherwise) {
  const Json* found = data::find_path(given, {field});
  return found != nullptr ? *found : std::move(otherwise);
}

bool are_texts(const Json& metadata) {
  return metadata.is_object() && std::all_of(metadata.begin(), metadata.end(),
                                             [](const Json& value) { return value.is_string(); });
}

}  // namespace

util::Result<Step> read_webhook(const Json& given, const std::string& where) {
  KUBIST_CHECK(check_fields(given, k_webhook, where));
  Step step;
  step.kind = Step::Kind::webhook;
  step.name = data::string_at(given, {"name"});
  const std::string url(data::string_at(given, {"url"}));
  const Json metadata = field_of(given, "metadata", Json::object());
  const auto type = data::string_at(given, {"type"}, k_rollout);
  const Json retries = field_of(given, "retries", 0);
  KUBIST_TRY(const auto timeout, read_time(given, "timeout", where));
  const auto limit = timeout.value_or(k_timeout);
  const char* wrong =
      step.name.empty() || url.empty() ? "needs a name and a url"
      : type != k_rollout && type != k_confirm
          ? "type: rollout or confirm-traffic-increase; when it is called is said by its place"
      : !are_texts(metadata)                   ? "metadata has texts alone"
      : limit.count() < 1 || limit > k_longest ? "timeout: from 1s to 1m"
      : !retries.is_number_integer() || retries < 0 || retries > k_most_retries
          ? "retries: a number from 0 to 100"
          : nullptr;
  if (wrong != nullptr) {
    return util::fail(ErrorKind::invalid, cat(where, ' ', wrong));
  }
  step.retries = retries.get<std::int64_t>();
  step.waits = type == k_confirm;
  step.call.webhook = {
      {"name", step.name}, {"url", url}, {"timeout", limit.count()}, {"metadata", metadata}};
  return step;
}

void name_calls(std::vector<Stage>& stages) {
  for (Stage& stage : stages) {
    for (std::size_t i = 0; i < stage.steps.size(); ++i) {
      Step& step = stage.steps[i];
      if (step.kind == Step::Kind::webhook) {
        step.call.weight = stage.weight;
        step.call.step = static_cast<std::int64_t>(i);
        step.query = to_query(step.call);
      }
    }
  }
}

CallCheck check_call(const Step& step, const Json* answer) {
  const std::string what = cat("webhook ", step.name);
  const auto reason = answer != nullptr ? data::string_at(*answer, {"reason"}) : k_reason_not_due;
  if (reason == k_reason_not_due) {
    return {Outcome::pending, "StepRunning", cat(what, " is called at the next look")};
  }
  const std::string_view said = data::string_at(*answer, {"message"});
  if (!reason.empty()) {
    return {Outcome::unknown, std::string(reason), cat(what, ": ", said)};
  }
  const auto status = data::int_at(*answer, {"status"});
  if (status / 100 == 2) {
    return {Outcome::passed, "", ""};
  }
  return {Outcome::refused, step.waits ? "NotConfirmed" : "HookFailed",
          cat(what, ": status ", status, said.empty() ? "" : ": ", said)};
}

}  // namespace kubist::policies
