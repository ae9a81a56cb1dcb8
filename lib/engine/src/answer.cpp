#include "answer.hpp"

#include <algorithm>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

namespace kubist::engine {

using util::cat;
using util::ErrorKind;

tl::unexpected<util::Error> broken_list(std::string message) {
  return util::fail(
      util::make_error(util::ErrorKind::invalid, std::move(message), {}, "PolicyFailed"));
}

namespace {

// What is due at once would be due at once again; what is due after all time is due at once too.
constexpr std::chrono::seconds k_shortest_pause = std::chrono::seconds(1);
constexpr std::chrono::seconds k_longest_pause = std::chrono::hours(24) * 365;

bool is_policy_run(const Json& object) {
  return object.is_object() && data::string_at(object, {"kind"}) == k_policy_run;
}

/// Takes PolicyRuns out of the items; the last one that has a status counts.
Json take_run_status(const Json& output, Json& items) {
  Json status;
  auto consider = [&](const Json& run) {
    if (auto found = run.find("status"); found != run.end() && found->is_object()) {
      status = *found;
    }
  };
  if (auto config = output.find("functionConfig");
      config != output.end() && is_policy_run(*config)) {
    consider(*config);
  }
  Json kept = Json::array();
  for (Json& item : items) {
    if (is_policy_run(item)) {
      consider(item);
    } else {
      kept.push_back(std::move(item));
    }
  }
  items = std::move(kept);
  return status;
}

util::Result<std::vector<PolicyMessage>> read_results(const Json& output) {
  std::vector<PolicyMessage> messages;
  auto results = output.find("results");
  if (results == output.end() || results->is_null()) {
    return messages;
  }
  if (!results->is_array()) {
    return broken_list("results must be a list");
  }
  for (const Json& result : *results) {
    PolicyMessage message;
    message.severity = util::lower(data::string_at(result, {"severity"}, "info"));
    message.message = data::string_at(result, {"message"});
    if (result.is_object() && result.contains("field")) {
      const Json& field = result["field"];
      message.field = field.is_string() ? field.get<std::string>()
                                        : std::string(data::string_at(field, {"path"}));
    }
    if (message.severity != "info" && message.severity != "warning" &&
        message.severity != "error") {
      return broken_list(
          cat("results: unknown severity \"", message.severity, "\" (error, warning, info)"));
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

util::Result<std::optional<std::chrono::milliseconds>> read_requeue(const Json& status) {
  using std::chrono::milliseconds;
  const auto pause = [](milliseconds said) {
    return std::optional(std::clamp<milliseconds>(said, k_shortest_pause, k_longest_pause));
  };
  auto found = status.find("requeueAfter");
  if (found == status.end() || found->is_null()) {
    return std::optional<milliseconds>();
  }
  if (found->is_number() && found->get<double>() >= 0 && found->get<double>() < 1e9) {
    return pause(milliseconds(static_cast<long long>(found->get<double>() * 1000)));
  }
  auto parsed = found->is_string() ? util::parse_duration(found->get<std::string>())
                                   : util::Result<std::chrono::nanoseconds>(
                                         util::fail(ErrorKind::invalid, "not a duration"));
  if (!parsed || parsed->count() < 0) {
    return broken_list("status.requeueAfter must be a duration like 30s, or seconds");
  }
  return pause(std::chrono::ceil<milliseconds>(*parsed));
}

}  // namespace

util::Result<> read_status(const Json& status, PolicyOutput& out) {
  if (!status.is_object()) {
    return {};
  }
  if (auto state = status.find("state"); state != status.end()) {
    std::size_t size = data::to_json(*state).size();
    if (size > k_max_policy_state) {
      return broken_list(cat("its state has ", size, " bytes, more than ", k_max_policy_state));
    }
    out.state = *state;
  }
  out.outcome = data::string_at(status, {"outcome"});
  out.hold = util::iequals(out.outcome, "hold");
  KUBIST_TRY(out.requeue_after, read_requeue(status));
  KUBIST_TRY(out.decision, read_decision(status));
  return {};
}

util::Result<Answer> read_answer(const Json& output) {
  if (!output.is_object() || data::string_at(output, {"kind"}) != "ResourceList") {
    return broken_list("it did not return a ResourceList (config.kubernetes.io/v1)");
  }
  Answer answer;
  KUBIST_TRY(answer.results, read_results(output));
  std::vector<std::string> refusals;
  for (const PolicyMessage& message : answer.results) {
    if (message.severity == "error") {
      refusals.push_back(message.field.empty() ? message.message
                                               : cat(message.field, ": ", message.message));
    }
  }
  if (!refusals.empty()) {
    return util::fail(ErrorKind::denied, util::join(refusals, "; "), "", "PolicyDenied");
  }
  auto found = output.find("items");
  if (found == output.end() || !found->is_array()) {
    return broken_list("it returned no list of items");
  }
  answer.items = *found;
  answer.status = take_run_status(output, answer.items);
  return answer;
}

}  // namespace kubist::engine
