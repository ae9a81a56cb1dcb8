#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::engine {

using data::Json;

/// A POST. Answered by {status, message}: the HTTP status, and how the reply begins.
struct WebhookCall {
  std::string url;
  std::chrono::seconds timeout{10};
  Json metadata = Json::object();  ///< texts by name, sent along
};

/// A pod that runs to its end. Answered by {succeeded, message}.
struct JobCall {
  Json config = Json::object();  ///< image, command, args, env, ... as of a container DeployItem
  std::string timeout;           ///< a duration, such as "5m0s"
};

/// What a policy wants done, which it cannot do itself. The run has it done after its policies
/// (PolicyWorld::call), and runs them once more with the answers. Where there is none, the answer
/// is {reason, message}.
struct PolicyCall {
  std::string name;         ///< the policy finds the answer by it
  std::int64_t step = 0;    ///< tells calls of one name apart
  std::int64_t failed = 0;  ///< how often this call has failed before
  std::variant<WebhookCall, JobCall> what;
};

/// Answers by the policy's place in the node's list: {NAME: ANSWER}.
using CallAnswers = std::map<std::size_t, Json>;

/// `calls` of a PolicyRun's status: [{name, step, failed, webhook: {url, timeout, metadata}}], or
/// with `job: {config, timeout}`. None: it calls nobody. Invalid: one that is neither or both, or
/// without a name, a url or an image.
util::Result<std::vector<PolicyCall>> read_calls(const Json& status);
Json to_json(const PolicyCall& call);

/// The answer's reason while a job is under way.
inline constexpr std::string_view k_reason_job_running = "JobRunning";
/// The answer's reason where what is called for is not due now.
inline constexpr std::string_view k_reason_not_due = "NotDue";

}  // namespace kubist::engine
