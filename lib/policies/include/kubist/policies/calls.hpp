#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>

namespace kubist::policies {

/// What a step of the policy Steps wants called, which no policy does itself. It stands among the
/// queries of the policy (engine::metrics_of); who answers those calls it while it is due, and
/// Steps decides by the answer: of a webhook {status, message}, an HTTP status; of a job
/// {succeeded, message}; or {reason, message} where there is none.
struct Call {
  enum class Kind { webhook, job };
  Kind kind = Kind::webhook;
  /// {name, url, timeout (seconds), metadata}; of a job {name, timeout, config: {image, ...}}
  data::Json what;
  int weight = 0;         ///< of the step
  std::int64_t step = 0;  ///< which one of its weight
};

/// As a query; PromQL is none of these.
std::string to_query(const Call& call);
/// Nothing: it is another query.
std::optional<Call> read_call(std::string_view query);

/// Where the release of this status is at that step, and it was not answered just now: how often it
/// has failed there. Nothing: it is not due.
std::optional<std::int64_t> due_try(const Call& call, const data::Json& status,
                                    std::chrono::system_clock::time_point now);

/// A number in a JSON document behind a URL, which a metric asks for as Argo's provider.web; among
/// the queries, answered as those: {value} or {reason, message}.
struct WebMetric {
  std::string url;
  std::string path;  ///< JSONPath
  std::chrono::seconds timeout{10};
};
std::string to_query(const WebMetric& metric);
/// Nothing: it is another query.
std::optional<WebMetric> read_web(std::string_view query);

/// The answer's reason while a job is under way.
inline constexpr std::string_view k_reason_job_running = "JobRunning";

/// The answer's reason where a call is not due.
inline constexpr std::string_view k_reason_not_due = "NotDue";

}  // namespace kubist::policies
